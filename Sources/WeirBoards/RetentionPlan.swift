import WeirJournals
import WeirStates

/// Decides whether old runs are removed at once, or after an announcement of a minute or a day.
///
/// A pure state machine. The journal stores it as text, so it survives a restart.
///
/// If the limits are lower than those of the last removal, any removal is announced a minute in advance: after a
/// reload, after a start with other settings, and after a takeover by a server with other settings. The minute restarts
/// at each start, and when the limits are lowered further. Raising the limits to their previous values withdraws the
/// announcement.
///
/// A removal is announced a day in advance when it takes more than 1,000 runs, more than a tenth of the ended runs, and
/// more runs than have ended since the last check. So is any removal when the clock is more than three days ahead of
/// the last check, or of the newest change before the first check. Between two checks at most an hour counts towards
/// the day, so a clock that jumps does not shorten it. If many more runs become due during that day, it restarts, for
/// at most a week in total.
struct RetentionPlan: Equatable {
    static let interval = Duration.seconds(3_600)
    /// The length of an announcement of a large removal, in milliseconds.
    static let notice: Int64 = 24 * 3_600_000
    /// The length of an announcement of any other removal after a lowering of the limits, in milliseconds.
    static let minute: Int64 = 60_000
    /// The largest number of runs whose removal is never announced for its size.
    static let ordinary = 1_000
    /// A removal of at most one in this many of the ended runs is not announced for its size.
    static let share = 10

    /// The lead of the clock, in milliseconds, above which the clock may be wrong.
    static let leap = 3 * notice

    private static let hour: Int64 = 3_600_000
    private static let patience = 7 * notice

    struct Announcement: Equatable {
        let reason: AnnouncedRemoval.Reason
        /// The number of runs due when the announcement began.
        var runs: Int
        /// The announced limits, or nil if the note lacks them.
        var policy: RetentionPolicy?
        /// The milliseconds since the announcement began, and in total including restarts.
        var waited: Int64 = 0
        var total: Int64 = 0

        /// The required length of the announcement in milliseconds.
        var length: Int64 { reason == .settings ? RetentionPlan.minute : RetentionPlan.notice }
    }

    enum Decision: Equatable {
        case remove
        /// Withdraw the announcement, then remove the runs that are due under the current limits.
        case withdraw
        /// Keep all runs for now; `isNew` if the removal must be announced.
        case wait(AnnouncedRemoval, isNew: Bool)
    }

    private(set) var lookedAt: Timestamp?
    /// The head of the journal after the last removal.
    private(set) var head: SequenceNumber?
    /// The limits of the last removal, or nil before the first.
    private(set) var policy: RetentionPolicy?
    private(set) var announcement: Announcement?

    /// Decides about the runs that are due.
    ///
    /// `newest` is the time of the newest change, used by the first check of a journal. `running` is the number of
    /// milliseconds that the process has run since its last check, or nil at its first check.
    mutating func look(
        _ forecast: RetentionForecast, _ policy: RetentionPolicy, head: SequenceNumber, newest: Timestamp?,
        now: Timestamp, running: Int64?
    ) -> Decision {
        let elapsed = (lookedAt ?? newest).map { now - $0 } ?? 0
        lookedAt = now
        let known = announcement
        let isLower = self.policy.map { policy.isLower(than: $0) } ?? true
        // Before the first removal, the usual number of runs per day is unknown.
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

    /// Adds the time since the last check, or restarts the announcement; returns whether it must be announced again.
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
    /// Decodes a plan from ``text``; an unreadable text gives an empty plan.
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
            return nil  // A damaged note: start with an empty plan.
        }
    }

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

extension RetentionPolicy {
    func isLower(than other: RetentionPolicy) -> Bool {
        if standard.isLower(than: other.standard) { return true }
        return Set(operations.keys).union(other.operations.keys).contains {
            limits(of: $0).isLower(than: other.limits(of: $0))
        }
    }

    /// The limits for runs as JSON, as stored in the plan.
    var json: JSONValue {
        var members = standard.json
        if !operations.isEmpty { members["operations"] = .object(operations.mapValues { .object($0.json) }) }
        return .object(members)
    }

    /// Decodes the limits from ``json``, or returns nil for any other value.
    init?(json: JSONValue) {
        guard let standard = Limits(json: json) else { return nil }
        var operations: [String: Limits] = [:]
        for (id, limits) in json["operations"]?.object ?? [:] {
            guard let limits = Limits(json: limits) else { return nil }
            operations[id] = limits
        }
        self.init(
            maximumAge: standard.maximumAge, maximumRunsPerOperation: standard.maximumRuns, operations: operations)
    }
}

extension RetentionPolicy.Limits {
    fileprivate func isLower(than other: RetentionPolicy.Limits) -> Bool {
        (maximumAge ?? .max) < (other.maximumAge ?? .max) || (maximumRuns ?? .max) < (other.maximumRuns ?? .max)
    }

    fileprivate var json: [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        members["age"] = maximumAge.map(JSONValue.integer)
        members["runs"] = maximumRuns.map { .integer(Int64($0)) }
        return members
    }

    fileprivate init?(json: JSONValue) {
        guard json.object != nil else { return nil }
        self.init(
            maximumAge: json["age"]?.integer, maximumRuns: json["runs"]?.integer.map { Int(clamping: $0) })
    }
}
