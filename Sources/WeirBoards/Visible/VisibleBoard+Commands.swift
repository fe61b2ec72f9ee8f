package import WeirAccess
package import WeirFlows
package import WeirJournals
package import WeirOperations
package import WeirStates

/// Commands, which check permissions and then call the method of `Board` with the same name.
///
/// Each throws `notAllowed` and the errors of that method.
extension VisibleBoard {
    package func start(
        _ operation: String, input: JSONValue, content: (any FileContent)? = nil, actor: String,
        idempotencyKey: String? = nil
    ) async throws(BoardError) -> StartReceipt {
        try require(.start, onOperation: operation)
        return try await board.start(
            operation, input: input, content: content, actor: actor, idempotencyKey: idempotencyKey)
    }

    func require(_ verb: Verb, onOperation id: String) throws(BoardError) {
        guard visibility.sees(operation: id) else { throw .unknownOperation(id) }
        guard permissions.allows(verb, on: .operation(id)) else { throw .notAllowed }
    }

    func require(_ verb: Verb, onStore id: String) throws(BoardError) {
        guard visibility.isWhole || visibility.stores.contains(id) else { throw .unknownStore(id) }
        guard permissions.allows(verb, on: .store(id)) else { throw .notAllowed }
    }

    /// Throws unless a verb is allowed on a run; returns the id of its operation.
    ///
    /// Throws the errors of `run(_:)`, and `notAllowed`.
    @discardableResult
    package func require(_ verb: Verb, onRun id: String) async throws(BoardError) -> String {
        let operation: String
        if let live = board.runs[id] {
            operation = live.operation
            guard visibility.isWhole || permissions.allows(.see, onRun: id, of: operation) else {
                throw .unknownRun(id)
            }
        } else {
            operation = try await run(id).record.operation
        }
        guard permissions.allows(verb, onRun: id, of: operation) else { throw .notAllowed }
        return operation
    }

    package func cancel(_ run: String, actor: String) async throws(BoardError) -> StartReceipt {
        try await require(.cancel, onRun: run)
        return try await board.cancel(run, actor: actor)
    }

    package func retry(
        _ run: String, input: JSONValue? = nil, actor: String, idempotencyKey: String? = nil
    ) async throws(BoardError) -> StartReceipt {
        _ = try await self.run(run)
        try await require(.start, onRun: run)
        return try await board.retry(run, input: input, actor: actor, idempotencyKey: idempotencyKey)
    }

    package func decide(
        _ run: String, step: String, isApproved: Bool, comment: String? = nil, actor: String
    ) async throws(BoardError) -> StartReceipt {
        let operation = try await require(.see, onRun: run)
        guard permissions.allows(.act, on: .approval(operation: operation, step: step)) else { throw .notAllowed }
        return try await board.decide(run, step: step, isApproved: isApproved, comment: comment, actor: actor)
    }

    package func retryFromFailedStep(
        _ run: String, from step: String? = nil, actor: String, idempotencyKey: String? = nil
    ) async throws(BoardError) -> StartReceipt {
        _ = try await self.run(run)
        try await require(.start, onRun: run)
        return try await board.retryFromFailedStep(run, from: step, actor: actor, idempotencyKey: idempotencyKey)
    }

    package func outcome(of run: String) async { await board.outcome(of: run) }

    package func dispatch(
        _ action: JSONValue, to store: String, actor: String, idempotencyKey: String? = nil
    ) async throws(BoardError) -> StoreReceipt {
        try require(.act, onStore: store)
        return try await board.dispatch(action, to: store, actor: actor, idempotencyKey: idempotencyKey)
    }

    package func rehydrate(
        _ store: String, state: JSONValue, actor: String, idempotencyKey: String? = nil
    ) async throws(BoardError) -> StoreReceipt {
        try require(.restore, onStore: store)
        return try await board.rehydrate(store, state: state, actor: actor, idempotencyKey: idempotencyKey)
    }

    package func returnTo(
        _ store: String, sequence: SequenceNumber, actor: String, idempotencyKey: String? = nil
    ) async throws(BoardError) -> StoreReceipt {
        try require(.restore, onStore: store)
        return try await board.returnTo(store, sequence: sequence, actor: actor, idempotencyKey: idempotencyKey)
    }

    package func reset(
        _ store: String, actor: String, idempotencyKey: String? = nil
    ) async throws(BoardError) -> StoreReceipt {
        try require(.restore, onStore: store)
        return try await board.reset(store, actor: actor, idempotencyKey: idempotencyKey)
    }

    package func export(_ run: String, write: (String) async throws -> Void) async throws -> ExportSummary {
        try await require(.export, onRun: run)
        return try await board.export(run, mayName: named, write: write)
    }

    /// Exports the matching runs that the audience may export.
    package func export(_ query: RunQuery, write: (String) async throws -> Void) async throws -> ExportSummary {
        try await board.export(visible(query, .export), mayName: named, write: write)
    }

    /// Whether the audience may know of a run; nil if it sees everything.
    private var named: (@Sendable (RunRecord) -> Bool)? {
        guard !visibility.isWhole else { return nil }
        return { [visibility] in visibility.sees($0) }
    }

    /// Requires permission to restore everything, because a file can contain runs of any operation, and error messages
    /// reveal which of them exist here.
    package func importRuns(
        restoringDeleted: Bool = false, _ open: @escaping JournalImport.Opening
    ) async throws(BoardError) -> ImportReport {
        guard permissions.allowsEverywhere(.see), permissions.allowsEverywhere(.restore) else { throw .notAllowed }
        return try await board.importRuns(restoringDeleted: restoringDeleted, open)
    }

    package func dismissNotice(_ id: String) async throws(BoardError) -> Bool {
        guard administers else { throw .notAllowed }
        return try await board.dismissNotice(id)
    }
}

extension VisibleBoard {
    package var began: Timestamp { board.began }

    /// The sequence of a topic's last change that is no longer available; 0 if all changes are.
    ///
    /// Throws `unknownOperation`, `unknownStore`, and `unavailable` if the journal cannot be read.
    package func floor(of topic: Topic) async throws(BoardError) -> SequenceNumber {
        guard !visibility.isWhole else { return try await board.floor(of: topic) }
        switch topic {
        case .board:
            // Only this audience's own feed of the board is in memory.
            let inMemory = feed.floor(of: .board)
            return min(inMemory, try await board.read { try await board.journal.floor(of: .board) })
        case .operation(let id): try require(.see, onOperation: id)
        case .store(let id): try require(.see, onStore: id)
        case .run(let id), .output(let id): _ = try await run(id)
        }
        return try await board.floor(of: topic)
    }

    /// Throws the errors of `Board.report`, and `unknownOperation` without the permission to report runs of the
    /// operation.
    package func report(_ report: Report) async throws(BoardError) -> ReportReceipt {
        try requireReporting(report.operation)
        return try await board.report(report)
    }

    /// Throws the errors of `Board.reports`, and `unknownOperation` without the permission to report runs of the
    /// operation.
    package func reports(
        of run: String, operation: String, after place: ReportPlace? = nil, limit: Int
    ) async throws(BoardError) -> ReportedMessages {
        try requireReporting(operation)
        return try await board.reports(of: run, operation: operation, after: place, limit: limit)
    }

    private func requireReporting(_ operation: String) throws(BoardError) {
        guard permissions.allows(.report, on: .operation(operation)) else { throw .unknownOperation(operation) }
    }
}

extension VisibleBoard {
    /// The schedules of the visible operations, each with its newest run.
    ///
    /// - Parameter pool: Computes the next times, which can search years for rare dates.
    /// - Returns: The views, in the order of the catalog.
    /// - Throws: ``WorkPool/Busy`` if the pool is at capacity; `CancellationError`.
    package func schedules(on pool: WorkPool) async throws -> [ScheduleView] {
        var views = try await pool.run { [board, visibility] in
            board.schedules().filter { visibility.sees(operation: $0.operation) }
        }
        for index in views.indices { views[index] = await withLastRun(views[index]) }
        return views
    }

    /// An operation's schedule with its newest run, or nil if it has none.
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

    /// Pauses an operation's schedule.
    ///
    /// Throws `unknownOperation`, `unknownSchedule`, `notAllowed`, and `unavailable` if the pause cannot be recorded.
    package func pauseSchedule(
        of operation: String, actor: String, reason: String? = nil
    ) async throws(BoardError) -> ScheduleView {
        try require(.start, onOperation: operation)
        return await withLastRun(try await board.pauseSchedule(of: operation, actor: actor, reason: reason))
    }

    /// Resumes an operation's schedule.
    ///
    /// Throws `unknownOperation`, `unknownSchedule`, `notAllowed`, and `unavailable` if the change cannot be recorded.
    package func resumeSchedule(of operation: String) async throws(BoardError) -> ScheduleView {
        try require(.start, onOperation: operation)
        return await withLastRun(try await board.resumeSchedule(of: operation))
    }

    private func withLastRun(_ view: ScheduleView) async -> ScheduleView {
        var view = view
        if let run = view.standing.last?.run {
            // If retention has removed the run, the page shows its id without a state.
            view.lastRun = try? await self.run(run).record
        }
        return view
    }
}
