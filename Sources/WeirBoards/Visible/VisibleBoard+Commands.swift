import WeirAccess
package import WeirJournals
package import WeirOperations
package import WeirStates

extension VisibleBoard {
    /// Starts a run, as `Board.start` does.
    ///
    /// Throws what that throws, and `notAllowed`.
    package func start(
        _ operation: String, input: JSONValue, content: (any FileContent)? = nil, actor: String,
        idempotencyKey: String? = nil
    ) async throws(BoardError) -> StartReceipt {
        try require(.start, onOperation: operation)
        return try await board.start(
            operation, input: input, content: content, actor: actor, idempotencyKey: idempotencyKey)
    }

    /// Asks a run to stop, as `Board.cancel` does.
    ///
    /// Throws what that throws, and `notAllowed`.
    package func cancel(_ run: String, actor: String) async throws(BoardError) -> StartReceipt {
        try await require(.cancel, onRun: run)
        return try await board.cancel(run, actor: actor)
    }

    /// Starts an ended run's operation again, as `Board.retry` does.
    ///
    /// Throws what that throws, and `notAllowed`.
    package func retry(
        _ run: String, input: JSONValue? = nil, actor: String, idempotencyKey: String? = nil
    ) async throws(BoardError) -> StartReceipt {
        _ = try await self.run(run)
        try await require(.start, onRun: run)
        return try await board.retry(run, input: input, actor: actor, idempotencyKey: idempotencyKey)
    }

    /// Decides what a run of steps asks, as `Board.decide` does.
    ///
    /// Throws what that throws, and `notAllowed`.
    package func decide(
        _ run: String, step: String, isApproved: Bool, comment: String? = nil, actor: String
    ) async throws(BoardError) -> StartReceipt {
        let operation = try await require(.see, onRun: run)
        guard permissions.allows(.act, on: .approval(operation: operation, step: step)) else { throw .notAllowed }
        return try await board.decide(run, step: step, isApproved: isApproved, comment: comment, actor: actor)
    }

    /// Starts a run of steps again from the step that did not succeed, as `Board.retryFromFailedStep` does.
    ///
    /// Throws what that throws, and `notAllowed`.
    package func retryFromFailedStep(
        _ run: String, actor: String, idempotencyKey: String? = nil
    ) async throws(BoardError) -> StartReceipt {
        _ = try await self.run(run)
        try await require(.start, onRun: run)
        return try await board.retryFromFailedStep(run, actor: actor, idempotencyKey: idempotencyKey)
    }

    /// Waits until a run has ended and its end is recorded.
    package func outcome(of run: String) async { await board.outcome(of: run) }

    /// Sends a store an action, as `Board.dispatch` does.
    ///
    /// Throws what that throws, and `notAllowed`.
    package func dispatch(
        _ action: JSONValue, to store: String, actor: String, idempotencyKey: String? = nil
    ) async throws(BoardError) -> StoreReceipt {
        try require(.act, onStore: store)
        return try await board.dispatch(action, to: store, actor: actor, idempotencyKey: idempotencyKey)
    }

    /// Puts a state into a store, as `Board.rehydrate` does.
    ///
    /// Throws what that throws, and `notAllowed`.
    package func rehydrate(
        _ store: String, state: JSONValue, actor: String, idempotencyKey: String? = nil
    ) async throws(BoardError) -> StoreReceipt {
        try require(.restore, onStore: store)
        return try await board.rehydrate(store, state: state, actor: actor, idempotencyKey: idempotencyKey)
    }

    /// Puts the state back that a store was in at a moment, as `Board.returnTo` does.
    ///
    /// Throws what that throws, and `notAllowed`.
    package func returnTo(
        _ store: String, sequence: SequenceNumber, actor: String, idempotencyKey: String? = nil
    ) async throws(BoardError) -> StoreReceipt {
        try require(.restore, onStore: store)
        return try await board.returnTo(store, sequence: sequence, actor: actor, idempotencyKey: idempotencyKey)
    }

    /// Puts a store's initial state back, as `Board.reset` does.
    ///
    /// Throws what that throws, and `notAllowed`.
    package func reset(
        _ store: String, actor: String, idempotencyKey: String? = nil
    ) async throws(BoardError) -> StoreReceipt {
        try require(.restore, onStore: store)
        return try await board.reset(store, actor: actor, idempotencyKey: idempotencyKey)
    }

    /// Writes a run as lines of text, as `Board.export` does.
    ///
    /// Throws what that throws, and `notAllowed`.
    package func export(_ run: String, write: (String) async throws -> Void) async throws -> ExportSummary {
        try await require(.export, onRun: run)
        return try await board.export(run, write: write)
    }

    /// Writes those of the runs that a query finds which may be exported, as `Board.export` does.
    package func export(_ query: RunQuery, write: (String) async throws -> Void) async throws -> ExportSummary {
        try await board.export(visible(query, .export), write: write)
    }

    /// Takes in the runs of an export, as `Board.importRuns` does.
    ///
    /// Only for those who may restore everything: a file may hold runs of any operation, and tells by what it is refused for
    /// which of them are here.
    ///
    /// Throws what that throws, and `notAllowed`.
    package func importRuns(_ open: @escaping JournalImport.Opening) async throws(BoardError) -> ImportReport {
        guard permissions.allowsEverywhere(.see), permissions.allowsEverywhere(.restore) else { throw .notAllowed }
        return try await board.importRuns(open)
    }

    /// Takes a notice out of the list, as `Board.dismissNotice` does.
    ///
    /// Throws what that throws, and `notAllowed`.
    package func dismissNotice(_ id: String) async throws(BoardError) -> Bool {
        guard administers else { throw .notAllowed }
        return try await board.dismissNotice(id)
    }
}
