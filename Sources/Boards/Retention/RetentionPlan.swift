import Journals
import States

/// Decides whether old runs may be removed at once, or only a day after that was announced.
///
/// Pure; kept in the journal as a text, so that it outlives a restart.
///
/// A removal is announced when it takes more than 1,000 runs, more than a tenth of those that have ended, and more than
/// as many as have ended since the last look: then it is not what each day brings. Any removal is announced when the
/// clock is more than three days ahead of the last look, or of the newest change where there was none. The day that
/// follows is one in which the server runs: of the time between two looks an hour counts at most, so that a clock that
/// jumps does not shorten it. If in that day many more runs become due, it begins again, for at most a week.
struct RetentionPlan: Equatable {
    /// How long it is from one look to the next.
    static let interval = Duration.seconds(3_600)
    /// How long a removal is announced before it happens.
    static let notice: Int64 = 24 * 3_600_000
    /// A removal of no more runs than this is never announced for its size.
    static let ordinary = 1_000
    /// A removal that takes no more than one part in this many of the ended runs is not announced either.
    static let share = 10

    /// A clock that is further ahead than this may be wrong.
    static let leap = 3 * notice

    private static let hour: Int64 = 3_600_000
    private static let patience = 7 * notice

    /// A removal that was announced.
    struct Announcement: Equatable {
        let reason: AnnouncedRemoval.Reason
        /// How many runs were due when the notice began.
        var runs: Int
        /// For how many milliseconds it has been up, and for how many altogether if it began again.
        var waited: Int64 = 0
        var total: Int64 = 0
    }

    /// What a look decides.
    enum Decision: Equatable {
        /// Remove what is due.
        case remove
        /// Leave all runs for now; `isNew` when that is to be announced.
        case wait(AnnouncedRemoval, isNew: Bool)
    }

    /// When the last look was.
    private(set) var lookedAt: Timestamp?
    /// The head of the journal after the last removal.
    private(set) var head: SequenceNumber?
    private(set) var announcement: Announcement?

    /// Looks at what is due; `newest` is when the newest change was recorded, for the first look ever.
    mutating func look(_ forecast: RetentionForecast, head: SequenceNumber, newest: Timestamp?, now: Timestamp)
        -> Decision
    {
        let elapsed = (lookedAt ?? newest).map { now - $0 } ?? 0
        let isFirst = self.head == nil
        lookedAt = now
        guard forecast.runs > 0 else { return remove(head) }
        // Before the first removal nobody knows what each day brings.
        let recent = isFirst ? 0 : forecast.recent
        let isLarge = { (runs: Int) in
            runs > Self.ordinary && runs > forecast.kept / Self.share && runs > recent
        }
        guard var known = announcement else {
            let isAhead = elapsed > Self.leap
            guard isAhead || isLarge(forecast.runs) else { return remove(head) }
            let new = Announcement(reason: isAhead ? .clock : .size, runs: forecast.runs)
            return wait(new, forecast, now, isNew: true)
        }
        let credit = min(max(elapsed, 0), Self.hour)
        known.waited += credit
        known.total += credit
        if isLarge(forecast.runs - known.runs), known.total < Self.patience {
            known.waited = 0
            known.runs = forecast.runs
        }
        guard known.waited < Self.notice else { return remove(head) }
        return wait(known, forecast, now, isNew: false)
    }

    private mutating func remove(_ head: SequenceNumber) -> Decision {
        announcement = nil
        self.head = head
        return .remove
    }

    private mutating func wait(
        _ announcement: Announcement, _ forecast: RetentionForecast, _ now: Timestamp, isNew: Bool
    ) -> Decision {
        self.announcement = announcement
        let due = Timestamp(milliseconds: now.milliseconds + Self.notice - announcement.waited)
        return .wait(
            AnnouncedRemoval(reason: announcement.reason, runs: forecast.runs, kept: forecast.kept, due: due),
            isNew: isNew)
    }
}

extension RetentionPlan {
    /// Reads a plan as ``text`` writes it; an unreadable one counts as none.
    init(text: String?) {
        guard let text, let value = Self.value(of: text) else { return }
        let range = { (range: ClosedRange<Int64>, number: Int64) in range.contains(number) ? number : nil }
        lookedAt = value["lookedAt"]?.integer.flatMap { range(0...1 << 53, $0) }.map(Timestamp.init(milliseconds:))
        head = value["head"]?.sequenceNumber
        guard let announced = value["announced"], let runs = announced["runs"]?.integer,
            let reason = announced["reason"]?.string.flatMap(AnnouncedRemoval.Reason.init(rawValue:)),
            let waited = announced["waited"]?.integer.flatMap({ range(0...Self.notice, $0) }),
            let total = announced["total"]?.integer.flatMap({ range(0...2 * Self.patience, $0) })
        else { return }
        announcement = Announcement(reason: reason, runs: Int(clamping: runs), waited: waited, total: total)
    }

    private static func value(of text: String) -> JSONValue? {
        do {
            return try JSONValue(parsing: text)
        } catch {
            return nil  // Nobody but us writes it; whatever it is, the plan begins anew.
        }
    }

    /// The plan as a text.
    func text() throws -> String {
        var members: [String: JSONValue] = [:]
        members["lookedAt"] = lookedAt.map { .integer($0.milliseconds) }
        members["head"] = head.map { .integer($0.rawValue) }
        members["announced"] = announcement.map {
            [
                "reason": .string($0.reason.rawValue), "runs": .integer(Int64($0.runs)), "waited": .integer($0.waited),
                "total": .integer($0.total),
            ]
        }
        return try JSONValue.object(members).text()
    }
}
