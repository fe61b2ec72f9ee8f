import WeirAccess

extension VisibleBoard {
    /// The schedules of the operations that may be seen, each with its newest run.
    package func schedules() async -> [ScheduleView] {
        var views: [ScheduleView] = []
        for view in board.schedules() where visibility.isWhole || visibility.operations.contains(view.operation) {
            views.append(await withLastRun(view))
        }
        return views
    }

    /// An operation's schedule, with its newest run; nil if it has none.
    ///
    /// Throws `unknownOperation`.
    package func schedule(of operation: String) async throws(BoardError) -> ScheduleView? {
        try require(.see, onOperation: operation)
        do {
            return await withLastRun(try board.schedule(of: operation))
        } catch  where error.code == .unknownSchedule {
            return nil
        }
    }

    /// Pauses an operation's schedule, or lets it go on.
    ///
    /// Throws `unknownOperation`, `unknownSchedule`, `notAllowed`, and `unavailable` when it cannot be recorded.
    package func pauseSchedule(of operation: String, actor: String) async throws(BoardError) -> ScheduleView {
        try require(.start, onOperation: operation)
        return await withLastRun(try await board.pauseSchedule(of: operation, actor: actor))
    }

    /// Lets an operation's schedule go on.
    ///
    /// Throws `unknownOperation`, `unknownSchedule`, `notAllowed`, and `unavailable` when it cannot be recorded.
    package func resumeSchedule(of operation: String) async throws(BoardError) -> ScheduleView {
        try require(.start, onOperation: operation)
        return await withLastRun(try await board.resumeSchedule(of: operation))
    }

    private func withLastRun(_ view: ScheduleView) async -> ScheduleView {
        var view = view
        if let run = view.standing.last?.run {
            // Retention may have removed it, and then the page names it without its state.
            view.lastRun = try? await self.run(run).record
        }
        return view
    }
}
