import Logging
import WeirStates

extension Board {
    /// The schedules, in the order of the catalog.
    func schedules() -> [ScheduleView] { catalog.entries.compactMap { scheduleView(of: $0.id) } }

    /// An operation's schedule.
    ///
    /// Throws `unknownOperation` and `unknownSchedule`.
    func schedule(of operation: String) throws(BoardError) -> ScheduleView {
        guard catalog[operation] != nil else { throw .unknownOperation(operation) }
        guard let view = scheduleView(of: operation) else { throw .unknownSchedule(of: operation) }
        return view
    }

    /// Pauses an operation's schedule: nothing is started, and what falls into the pause is not made up for.
    ///
    /// Throws `unknownOperation`, `unknownSchedule`, and `unavailable` when it cannot be recorded.
    func pauseSchedule(of operation: String, actor: String) async throws(BoardError) -> ScheduleView {
        try await pause(operation, by: actor)
    }

    /// Lets an operation's schedule go on.
    ///
    /// Throws `unknownOperation`, `unknownSchedule`, and `unavailable` when it cannot be recorded.
    func resumeSchedule(of operation: String) async throws(BoardError) -> ScheduleView {
        try await pause(operation, by: nil)
    }

    /// Pauses an operation's schedule, or lets it go on where nobody pauses it.
    func pause(_ operation: String, by actor: String?) async throws(BoardError) -> ScheduleView {
        _ = try schedule(of: operation)
        if follows {
            let resume = BoardCommand.resumeSchedule(operation: operation)
            let command = actor.map { .pauseSchedule(operation: operation, actor: $0) } ?? resume
            _ = try await handOver(command).isDone
            // Where it cannot be read now, it is within a second.
            do {
                try await scheduler.follow(catalog.scheduledStarts)
            } catch {
                logger.debug("The schedules cannot be read.", metadata: ["cause": "\(Quoted(error))"])
            }
            return try schedule(of: operation)
        }
        try requireRecording()
        do {
            try await scheduler.pause(operation, by: actor)
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
    /// What its schedules start, by the operation.
    var scheduledStarts: [String: ScheduledStart] {
        Dictionary(entries.compactMap { entry in entry.schedule.map { (entry.id, $0) } }) { $1 }
    }
}
