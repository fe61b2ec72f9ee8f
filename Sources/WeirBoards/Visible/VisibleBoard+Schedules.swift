import WeirAccess
package import WeirFlows

extension VisibleBoard {
    /// The schedules of the operations that may be seen, each with its newest run.
    ///
    /// - Parameter pool: Finds the next times; of dates that come seldom, years are searched.
    /// - Returns: The views, in the order of the catalog.
    /// - Throws: ``WorkPool/Busy`` if the pool has too much to do; `CancellationError`.
    package func schedules(on pool: WorkPool) async throws -> [ScheduleView] {
        var views = try await pool.run { [board, visibility] in
            board.schedules().filter { visibility.isWhole || visibility.operations.contains($0.operation) }
        }
        for index in views.indices { views[index] = await withLastRun(views[index]) }
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
