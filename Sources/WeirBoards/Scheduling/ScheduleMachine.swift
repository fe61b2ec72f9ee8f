import WeirJournals

/// Decides what is started when.
///
/// Pure.
///
/// Each schedule has a mark, up to which its times have been dealt with. A look finds the times after the mark that are due,
/// decides which of them are started, and moves the mark; what was decided is *settled* when it has been done, and only
/// then counts over a restart. So a time is looked at again if the process dies in between, and the idempotency key of its
/// start makes sure that it happens once.
struct ScheduleMachine: Sendable {
    /// What is to be done for one schedule.
    struct Due: Sendable, Equatable {
        let operation: String
        /// The times to start at, in order.
        let times: [Timestamp]
        /// The times that are not made up for.
        let missed: ScheduleStanding.Missed?
    }

    private struct Line {
        let start: ScheduledStart
        var standing: ScheduleStanding
        var mark: Timestamp
        /// When the next start is to be made.
        var next: Timestamp?
    }

    /// A start this much later than planned, in milliseconds, still counts as on time.
    static let tolerance: Int64 = 60_000
    /// How many times are made up for at once.
    static let catchUpLimit = 100
    /// How many times that passed are counted: more than a day's by the minute, the longest delay of an expression.
    private static let countLimit = 2_000

    private var lines: [String: Line] = [:]
    /// The standing of what has no schedule at present: someone paused it.
    private var absent: [String: ScheduleStanding] = [:]

    /// Whether there are no schedules.
    var isEmpty: Bool { lines.isEmpty }

    /// All that is kept over a restart, by the operation.
    var standings: [String: ScheduleStanding] { lines.mapValues(\.standing).merging(absent) { $1 } }

    /// When something is to be started next; nil if never.
    var next: Timestamp? { lines.values.compactMap { $0.standing.pause == nil ? $0.next : nil }.min() }

    func start(of operation: String) -> ScheduledStart? { lines[operation]?.start }

    func standing(of operation: String) -> ScheduleStanding? { lines[operation]?.standing }

    /// Takes the schedules that there are from now on.
    ///
    /// A schedule that goes on keeps its mark; a new or changed one begins now, and a pause stays in force through both.
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

    /// What is due.
    mutating func look(at now: Timestamp) -> [Due] {
        lines.keys.sorted().compactMap { operation in
            guard var line = lines[operation], line.standing.pause == nil else { return nil }
            // A clock that was set back: its times come again, and the keys of those that were started are known.
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
        // In order, also where the delay of one is longer than that of the next.
        let times = schedule.newest(after: line.mark, through: now, limit: Self.countLimit)
            .prefix { start($0) <= now }
        guard let newest = times.last else { return nil }
        let chosen: ArraySlice<Timestamp> =
            switch schedule.catchUp {
            case .all: times.suffix(Self.catchUpLimit)
            case .once: times.suffix(1)
            case .skip: now - start(newest) <= Self.tolerance ? times.suffix(1) : []
            }
        let left = times.dropLast(chosen.count)
        let missed = left.last.map { ScheduleStanding.Missed(count: left.count, newest: $0, at: now) }
        return (Due(operation: operation, times: Array(chosen), missed: missed), newest)
    }

    /// Notes what came of a time.
    mutating func note(_ firing: ScheduleStanding.Firing, of operation: String) {
        lines[operation]?.standing.last = firing
    }

    /// All that was due has been done; `missed` has been told.
    mutating func settle(_ due: Due) {
        guard let line = lines[due.operation] else { return }
        lines[due.operation]?.standing.considered = line.mark
        if let missed = due.missed { lines[due.operation]?.standing.missed = missed }
    }

    /// Pauses a schedule, or lets it go on; times in a pause are not made up for.
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
