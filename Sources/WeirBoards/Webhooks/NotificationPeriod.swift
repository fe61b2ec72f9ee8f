package import Foundation
package import WeirJournals
import WeirStates

/// The times of a rule that sends one e-mail about a day or a week.
package struct NotificationPeriod: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        /// What happened since the last digest.
        case digest
        /// The report of the last seven whole days.
        case report
    }

    package let kind: Kind
    /// Whether a digest is sent although nothing happened.
    package let sendsEmpty: Bool
    private let cron: String

    /// Parses a time of day such as `07:00`, or returns nil.
    package init?(digest text: String, sendsEmpty: Bool = false) {
        guard let time = Self.cron(time: text[...]) else { return nil }
        (kind, cron) = (.digest, "\(time) * * *")
        self.sendsEmpty = sendsEmpty
    }

    /// Parses a weekday and a time of day such as `monday 08:00`, or returns nil.
    package init?(report text: String) {
        let words = text.lowercased().split(separator: " ")
        guard words.count == 2, let word = words.first, word.utf8.count >= 3,
            let weekday = Self.weekdays.firstIndex(where: { $0 == word || $0.prefix(3) == word }),
            let time = words.last.flatMap(Self.cron(time:))
        else { return nil }
        (kind, cron, sendsEmpty) = (.report, "\(time) * * \(weekday)", true)
    }

    private static let weekdays = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]

    /// The minute and the hour of a cron expression.
    private static func cron(time text: Substring) -> String? {
        guard let parts = text.wholeMatch(of: /([0-9]{1,2}):([0-9]{2})/), let hour = Int(parts.1),
            let minute = Int(parts.2), hour < 24, minute < 60
        else { return nil }
        return "\(minute) \(hour)"
    }

    private func schedule(in zone: TimeZone) -> Schedule? { try? Schedule(cron: cron, timezone: zone.identifier) }

    /// The newest time after a moment and not after `now`, or nil if there is none.
    package func due(after moment: Timestamp, now: Timestamp, in zone: TimeZone) -> Timestamp? {
        schedule(in: zone)?.newest(after: moment, through: now, limit: 1).last
    }

    package func next(after moment: Timestamp, in zone: TimeZone) -> Timestamp? {
        schedule(in: zone)?.next(after: moment)
    }
}

extension NotificationState {
    /// Begins to count for new rules that send digests and reports, and forgets the others.
    package mutating func count(for rules: [NotificationRule], since now: Timestamp) {
        let names = rules.map(\.name)
        var kept = (digests ?? [:]).filter { names.contains($0.key) }
        for name in names where kept[name] == nil { kept[name] = DigestTally(since: now) }
        digests = kept.isEmpty ? nil : kept
    }

    /// By the name of each rule for which it counts, what a server that continues at the same position cannot find again:
    /// the beginning of the period, and the number of missed starts.
    package var unrepeated: [String: [Int64]] {
        (digests ?? [:]).mapValues { [$0.since.milliseconds, Int64(clamping: $0.missedCount)] }
    }

    /// What happened since the last message of a rule.
    package func tally(of rule: NotificationRule) -> DigestTally? { digests?[rule.name] }

    /// Begins the next period of a rule.
    package mutating func begin(_ rule: NotificationRule, at now: Timestamp) {
        digests?[rule.name] = DigestTally(since: now)
    }
}
