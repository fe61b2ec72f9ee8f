import WeirJournals
import WeirStates

/// Decides whether old runs may be removed at once, or only a minute or a day after that was announced.
///
/// Pure; kept in the journal as a text, so that it outlives a restart.
///
/// Any removal is announced a minute before if the limits are lower than those of the last removal: after a reload, after
/// a start with other settings, and after a takeover by a server with other settings. The minute begins again if the limits are lowered further, and at each start. Limits that are as high as
/// before withdraw the announcement.
///
/// A removal is announced a day before when it takes more than 1,000 runs, more than a tenth of those that have ended,
/// and more than as many as have ended since the last look: then it is not what each day brings. So is any removal when
/// the clock is more than three days ahead of the last look, or of the newest change where there was none. The day that
/// follows is one in which the server runs: of the time between two looks an hour counts at most, so that a clock that
/// jumps does not shorten it. If in that day many more runs become due, it begins again, for at most a week.
struct RetentionPlan: Equatable {
    /// How long it is from one look to the next.
    static let interval = Duration.seconds(3_600)
    /// How long a large removal is announced before it happens.
    static let notice: Int64 = 24 * 3_600_000
    /// How long any other removal is announced that lower limits cause.
    static let minute: Int64 = 60_000
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
        /// The limits that were announced; nil in a note that does not have them.
        var policy: RetentionPolicy?
        /// For how many milliseconds it has been up, and for how many altogether if it began again.
        var waited: Int64 = 0
        var total: Int64 = 0

        /// How long it is up before the removal.
        var length: Int64 { reason == .settings ? RetentionPlan.minute : RetentionPlan.notice }
    }

    /// The result of a check.
    enum Decision: Equatable {
        /// Remove the runs and changes that are due.
        case remove
        /// Remove the runs that are due. The announced removal is withdrawn.
        case withdraw
        /// Leave all runs for now; `isNew` when that is to be announced.
        case wait(AnnouncedRemoval, isNew: Bool)
    }

    /// When the last look was.
    private(set) var lookedAt: Timestamp?
    /// The head of the journal after the last removal.
    private(set) var head: SequenceNumber?
    /// The limits of the last removal; nil before the first.
    private(set) var policy: RetentionPolicy?
    private(set) var announcement: Announcement?

    /// Decides about the runs that are due.
    ///
    /// - Parameters:
    ///   - forecast: The removal under the limits.
    ///   - policy: The limits.
    ///   - head: The head of the journal.
    ///   - newest: When the newest change was recorded, for the first look ever.
    ///   - now: The time of day.
    ///   - running: For how many milliseconds the process has run since its last look; nil at its first look.
    /// - Returns: The decision.
    mutating func look(
        _ forecast: RetentionForecast, _ policy: RetentionPolicy, head: SequenceNumber, newest: Timestamp?,
        now: Timestamp, running: Int64?
    ) -> Decision {
        let elapsed = (lookedAt ?? newest).map { now - $0 } ?? 0
        lookedAt = now
        let known = announcement
        let isLower = self.policy.map { policy.isLower(than: $0) } ?? true
        // Before the first removal, the number of runs of a day is unknown.
        let recent = self.head == nil ? 0 : forecast.recent
        let isLarge = { (runs: Int) in
            runs > Self.ordinary && runs > forecast.kept / Self.share && runs > recent
        }
        let isAhead = elapsed > Self.leap
        let isSmall = !isAhead && !isLarge(forecast.runs)
        if forecast.runs > 0, var known, known.reason != .settings || (isLower && isSmall) {
            let isNew = prolong(&known, forecast, policy, elapsed: elapsed, running: running, isLarge)
            guard known.waited < known.length else { return remove(head, policy) }
            return wait(known, forecast, now, isNew: isNew)
        }
        announcement = nil
        let reason: AnnouncedRemoval.Reason? =
            isAhead ? .clock : isLarge(forecast.runs) ? .size : isLower ? .settings : nil
        guard forecast.runs > 0, let reason else {
            _ = remove(head, policy)
            return known == nil ? .remove : .withdraw
        }
        return wait(Announcement(reason: reason, runs: forecast.runs, policy: policy), forecast, now, isNew: true)
    }

    /// Counts the time since the last look, or begins the notice again; returns whether it is to be announced anew.
    private func prolong(
        _ known: inout Announcement, _ forecast: RetentionForecast, _ policy: RetentionPolicy, elapsed: Int64,
        running: Int64?, _ isLarge: (Int) -> Bool
    ) -> Bool {
        let isLowered = known.policy.map { policy.isLower(than: $0) } ?? true
        known.policy = policy
        guard known.reason != .settings else {
            guard let running, !isLowered else {
                (known.waited, known.runs) = (0, forecast.runs)
                return true
            }
            known.waited += min(max(running, 0), Self.minute)
            return false
        }
        let credit = min(max(elapsed, 0), Self.hour)
        known.waited += credit
        known.total += credit
        if isLarge(forecast.runs - known.runs), known.total < Self.patience {
            known.waited = 0
            known.runs = forecast.runs
        }
        guard isLowered else { return false }
        known.waited = min(known.waited, Self.notice - Self.minute)
        return true
    }

    private mutating func remove(_ head: SequenceNumber, _ policy: RetentionPolicy) -> Decision {
        announcement = nil
        self.head = head
        self.policy = policy
        return .remove
    }

    private mutating func wait(
        _ announcement: Announcement, _ forecast: RetentionForecast, _ now: Timestamp, isNew: Bool
    ) -> Decision {
        self.announcement = announcement
        let due = Timestamp(milliseconds: now.milliseconds + announcement.length - announcement.waited)
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
        policy = value["policy"].flatMap(RetentionPolicy.init(json:))
        guard let announced = value["announced"], let runs = announced["runs"]?.integer,
            let reason = announced["reason"]?.string.flatMap(AnnouncedRemoval.Reason.init(rawValue:)),
            let waited = announced["waited"]?.integer.flatMap({ range(0...Self.notice, $0) }),
            let total = announced["total"]?.integer.flatMap({ range(0...2 * Self.patience, $0) })
        else { return }
        announcement = Announcement(
            reason: reason, runs: Int(clamping: runs), policy: announced["policy"].flatMap(RetentionPolicy.init(json:)),
            waited: waited, total: total)
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
        members["policy"] = policy?.json
        members["announced"] = announcement.map {
            var announced: [String: JSONValue] = [
                "reason": .string($0.reason.rawValue), "runs": .integer(Int64($0.runs)), "waited": .integer($0.waited),
                "total": .integer($0.total),
            ]
            announced["policy"] = $0.policy?.json
            return .object(announced)
        }
        return try JSONValue.object(members).text()
    }
}
