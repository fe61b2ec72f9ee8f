package import WeirJournals

/// Decides which operations to start at which times.
///
/// Pure.
///
/// Each schedule has a mark: all times up to it have been processed. `look(at:)` finds the due times after the mark,
/// decides which of them to start, and moves the mark. A decision is *settled* once it has been carried out, and only
/// settled progress survives a restart. If the process dies in between, the time is processed again, and the
/// idempotency key of the start makes sure that it starts one run.
struct ScheduleMachine: Sendable {
    struct Due: Sendable, Equatable {
        let operation: String
        let times: [Timestamp]
        let missed: ScheduleStanding.Missed?
    }

    private struct Line {
        let start: ScheduledStart
        var standing: ScheduleStanding
        var mark: Timestamp
        var next: Timestamp?
    }

    /// A start this much later than planned, in milliseconds, still counts as on time.
    static let tolerance: Int64 = 60_000
    static let catchUpLimit = 100
    /// The maximum number of elapsed times to count: more than one a minute for a day, the longest delay of an
    /// expression.
    private static let countLimit = 2_000

    private var lines: [String: Line] = [:]
    /// The progress of operations without a schedule at present, kept because they are paused.
    private var absent: [String: ScheduleStanding] = [:]

    var isEmpty: Bool { lines.isEmpty }

    /// The progress to record, by operation.
    var standings: [String: ScheduleStanding] { lines.mapValues(\.standing).merging(absent) { $1 } }

    /// When the next start is due, or nil if never.
    var next: Timestamp? { lines.values.compactMap { $0.standing.pause == nil ? $0.next : nil }.min() }

    func start(of operation: String) -> ScheduledStart? { lines[operation]?.start }

    func standing(of operation: String) -> ScheduleStanding? { lines[operation]?.standing }

    /// Replaces the schedules.
    ///
    /// An unchanged schedule keeps its mark; a new or changed one begins at `now`. A pause remains in force in both
    /// cases.
    mutating func take(
        _ starts: [String: ScheduledStart], known: [String: ScheduleStanding] = [:], at now: Timestamp
    ) {
        let known = known.merging(standings) { $1 }
        lines = Dictionary(
            starts.map { operation, start in
                var standing = known[operation] ?? ScheduleStanding(start.schedule.identity, from: now)
                if standing.schedule != start.schedule.identity {
                    standing.schedule = start.schedule.identity
                    standing.considered = now
                }
                if standing.pause != nil { standing.considered = now }
                let mark = min(lines[operation]?.mark ?? standing.considered, now)
                let line = Line(
                    start: start, standing: standing, mark: standing.considered == now ? now : mark, next: nil)
                return (operation, line)
            }
        ) { $1 }
        absent = known.filter { starts[$0.key] == nil && $0.value.pause != nil }
        for operation in absent.keys { absent[operation]?.schedule = "" }
        for operation in lines.keys { plan(operation) }
    }

    /// The starts that are due; moves the marks.
    mutating func look(at now: Timestamp) -> [Due] {
        lines.keys.sorted().compactMap { operation in
            guard var line = lines[operation], line.standing.pause == nil else { return nil }
            // The clock was set back: times repeat, and the idempotency keys identify those that have already started.
            let isBack = now < line.mark
            guard isBack || line.next.map({ $0 <= now }) == true else { return nil }
            line.mark = min(line.mark, now)
            let due = due(line, operation, at: now)
            if let newest = due?.newest { line.mark = newest }
            lines[operation] = line
            plan(operation)
            return due?.due
        }
    }

    private func due(_ line: Line, _ operation: String, at now: Timestamp) -> (due: Due, newest: Timestamp)? {
        let schedule = line.start.schedule
        let start = { (time: Timestamp) in time.after(schedule.delay(of: time, for: operation)) }
        // In order, even if one time's delay is longer than that of the next.
        let times = schedule.newest(after: line.mark, through: now, limit: Self.countLimit)
            .prefix { start($0) <= now }
        guard let newest = times.last else { return nil }
        var chosen: ArraySlice<Timestamp> =
            switch schedule.catchUp {
            case .all: times.suffix(Self.catchUpLimit)
            case .once: times.suffix(1)
            case .skip: now - start(newest) <= Self.tolerance ? times.suffix(1) : []
            }
        chosen = chosen.drop { schedule.isTooLate($0, at: now, for: operation) }
        let left = times.dropLast(chosen.count)
        let missed = left.last.map { ScheduleStanding.Missed(count: left.count, newest: $0, at: now) }
        return (Due(operation: operation, times: Array(chosen), missed: missed), newest)
    }

    mutating func note(_ firing: ScheduleStanding.Firing, of operation: String) {
        lines[operation]?.standing.last = firing
        guard firing.run == nil else {
            lines[operation]?.standing.unstartedSince = nil
            return
        }
        lines[operation]?.standing.keep(.init(time: firing.time, count: 1, refusal: firing.refusal))
    }

    /// Marks the due starts as carried out.
    mutating func settle(_ due: Due) {
        guard let line = lines[due.operation] else { return }
        lines[due.operation]?.standing.considered = line.mark
        guard let missed = due.missed else { return }
        lines[due.operation]?.standing.missed = missed
        lines[due.operation]?.standing.keep(.init(time: missed.newest, count: missed.count, refusal: nil))
        if lines[due.operation]?.standing.lacksStart == false { lines[due.operation]?.standing.unstartedSince = nil }
    }

    /// Pauses a schedule, or resumes it if `pause` is nil; times during a pause are not caught up on.
    mutating func pause(_ operation: String, _ pause: ScheduleStanding.Pause?, at now: Timestamp) {
        lines[operation]?.standing.pause = pause
        guard pause == nil else { return }
        lines[operation]?.standing.considered = now
        lines[operation]?.mark = now
        plan(operation)
    }

    private mutating func plan(_ operation: String) {
        guard let line = lines[operation] else { return }
        let schedule = line.start.schedule
        lines[operation]?.next = schedule.next(after: line.mark)
            .map { $0.after(schedule.delay(of: $0, for: operation)) }
    }
}

/// The progress of an operation's schedule, which the journal keeps across restarts.
package struct ScheduleStanding: Sendable, Hashable, Codable {
    package struct Pause: Sendable, Hashable, Codable {
        package let by: String
        package let at: Timestamp
        package let reason: String?

        package init(by: String, at: Timestamp, reason: String? = nil) {
            self.by = by
            self.at = at
            self.reason = reason
        }
    }

    /// The result of one scheduled time.
    package struct Firing: Sendable, Hashable, Codable {
        /// The scheduled time, without the random delay.
        package let time: Timestamp
        package let at: Timestamp
        /// The started run, or nil if the start was refused.
        package let run: String?
        package let refusal: String?

        package init(time: Timestamp, at: Timestamp, run: String?, refusal: String?) {
            self.time = time
            self.at = at
            self.run = run
            self.refusal = refusal
        }
    }

    /// Scheduled times that were skipped.
    package struct Missed: Sendable, Hashable, Codable {
        package let count: Int
        package let newest: Timestamp
        package let at: Timestamp

        package init(count: Int, newest: Timestamp, at: Timestamp) {
            self.count = count
            self.newest = newest
            self.at = at
        }
    }

    /// Scheduled starts that did not happen: a refused one, or times that passed before the server could look.
    package struct Unstarted: Sendable, Hashable, Codable {
        /// The scheduled time, of several the newest.
        let time: Timestamp
        package let count: Int
        let refusal: String?
    }

    /// The maximum number of kept starts that did not happen.
    static let unstartedLimit = 100

    var schedule: String
    /// The time through which all scheduled times have been processed.
    var considered: Timestamp
    package internal(set) var pause: Pause?
    /// The result of the newest time that was due.
    package internal(set) var last: Firing?
    package internal(set) var missed: Missed?
    /// Nil before the first, and in journals of earlier versions.
    private var kept: [Unstarted]?
    /// The scheduled time of the first of the starts in a row that did not happen, of several that passed together the newest; nil
    /// if the latest happened, and in journals of earlier versions.
    fileprivate var unstartedSince: Timestamp?

    /// The newest starts that did not happen, oldest first.
    var unstarted: [Unstarted] {
        if let kept { return kept }
        // An earlier version kept only the latest.
        let passed = missed.map { Unstarted(time: $0.newest, count: $0.count, refusal: nil) }
        let refused = last.flatMap {
            $0.run == nil ? Unstarted(time: $0.time, count: 1, refusal: $0.refusal) : nil
        }
        return [passed, refused].compactMap(\.self)
    }

    fileprivate mutating func keep(_ start: Unstarted) {
        kept = (unstarted.filter { $0 != start } + [start]).suffix(Self.unstartedLimit)
        unstartedSince = unstartedSince ?? start.time
    }

    /// The first of the starts in a row that did not happen, as far as known.
    package var firstUnstarted: Timestamp? {
        lacksStart ? unstartedSince ?? unstarted.last?.time : nil
    }

    /// Whether the latest start did not happen: it was refused, or its time was missed and none followed.
    package var lacksStart: Bool {
        guard pause == nil else { return false }
        let isRefused = last.map { $0.run == nil } ?? false
        guard let missed else { return isRefused }
        return isRefused || missed.at > last?.at ?? Timestamp(milliseconds: .min)
    }

    /// The progress of a new schedule, which catches up on nothing before `now`.
    package init(
        _ schedule: String, from now: Timestamp, pause: Pause? = nil, last: Firing? = nil, missed: Missed? = nil
    ) {
        self.schedule = schedule
        considered = now
        self.pause = pause
        self.last = last
        self.missed = missed
    }
}
