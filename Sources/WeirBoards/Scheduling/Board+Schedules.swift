import Logging
package import WeirFlows
package import WeirJournals
package import WeirStates

extension Board {
    func schedules() -> [ScheduleView] { catalog.entries.compactMap { scheduleView(of: $0.id) } }

    func schedule(of operation: String) throws(BoardError) -> ScheduleView {
        guard catalog[operation] != nil else { throw .unknownOperation(operation) }
        guard let view = scheduleView(of: operation) else { throw .unknownSchedule(of: operation) }
        return view
    }

    /// The progress of all schedules, by operation.
    package var scheduleStandings: [String: ScheduleStanding] { scheduler.standings }

    /// Counts changes of ``scheduleStandings``.
    package var scheduleChanges: ReadOnlyStateFlow<Int> { scheduler.changes.asStateFlow() }

    /// Pauses an operation's schedule: nothing starts, and times during the pause are not caught up on.
    ///
    /// Throws `unknownOperation`, `unknownSchedule`, and `unavailable` if the pause cannot be recorded.
    func pauseSchedule(
        of operation: String, actor: String, reason: String? = nil
    ) async throws(BoardError) -> ScheduleView {
        try await pause(operation, by: actor, reason: reason)
    }

    /// Resumes an operation's schedule.
    ///
    /// Throws `unknownOperation`, `unknownSchedule`, and `unavailable` if the change cannot be recorded.
    func resumeSchedule(of operation: String) async throws(BoardError) -> ScheduleView {
        try await pause(operation, by: nil)
    }

    /// Pauses an operation's schedule, or resumes it if `actor` is nil.
    func pause(
        _ operation: String, by actor: String?, reason: String? = nil
    ) async throws(BoardError) -> ScheduleView {
        _ = try schedule(of: operation)
        if follows {
            let resume = BoardCommand.resumeSchedule(operation: operation)
            let command = actor.map { .pauseSchedule(operation: operation, actor: $0, reason: reason) } ?? resume
            _ = try await handOver(command).isDone
            // If the read fails now, it is repeated within a second.
            do {
                try await scheduler.follow(catalog.scheduledStarts)
            } catch {
                logger.debug("The schedules cannot be read.", metadata: ["cause": "\(Quoted(error))"])
            }
            return try schedule(of: operation)
        }
        try requireRecording()
        do {
            try await scheduler.pause(operation, by: actor, reason: reason)
        } catch {
            throw .unreadable(error)
        }
        return try schedule(of: operation)
    }

    private func scheduleView(of operation: String) -> ScheduleView? {
        scheduler.schedule(of: operation).map {
            ScheduleView(operation: operation, start: $0.start, standing: $0.standing, at: now())
        }
    }
}

extension Catalog {
    var scheduledStarts: [String: ScheduledStart] {
        Dictionary(entries.compactMap { entry in entry.schedule.map { (entry.id, $0) } }) { $1 }
    }
}

/// The schedule of an operation with the inputs of its runs.
package struct ScheduledStart: Sendable, Hashable {
    package let schedule: Schedule
    /// The input of each part of the schedule.
    let inputs: [JSONValue]

    package init(_ schedule: Schedule, input: JSONValue = [:]) {
        self.schedule = schedule
        inputs = schedule.parts.map { _ in input }
    }

    /// Combines schedules with an input each; nil for none, or if they do not catch up in the same way.
    package init?(_ starts: [ScheduledStart]) {
        guard let schedule = Schedule(starts.map(\.schedule)) else { return nil }
        self.schedule = schedule
        inputs = starts.flatMap(\.inputs)
    }

    /// The input of the run of a time.
    package func input(at time: Timestamp) -> JSONValue {
        let part = schedule.part(at: time)
        return inputs.indices.contains(part) ? inputs[part] : [:]
    }

    static let actor = "schedule"

    /// The idempotency key of a scheduled start, so that each time starts one run.
    static func key(of operation: String, at time: Timestamp) -> String { "schedule/\(operation)/\(time)" }
}

/// An operation's schedule, as pages and the API show it.
package struct ScheduleView: Sendable, Hashable {
    package let operation: String
    package let start: ScheduledStart
    package let standing: ScheduleStanding
    /// The next times, without random delays; empty while the schedule is paused.
    package let upcoming: [Timestamp]
    /// The run of the last scheduled time, if it is retained and visible to the reader.
    package internal(set) var lastRun: RunRecord?

    static let upcomingCount = 5

    package init(
        operation: String, start: ScheduledStart, standing: ScheduleStanding, lastRun: RunRecord? = nil,
        at now: Timestamp
    ) {
        self.lastRun = lastRun
        self.operation = operation
        self.start = start
        self.standing = standing
        upcoming = standing.pause == nil ? start.schedule.upcoming(after: now, count: Self.upcomingCount) : []
    }
}
