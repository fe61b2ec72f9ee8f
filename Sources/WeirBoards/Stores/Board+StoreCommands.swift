package import WeirJournals
public import WeirStates

extension Board {
    /// Sends a store an action, and returns once the change it produced is recorded.
    ///
    /// What the action's own work dispatches later is not waited for. Either the action was taken, and there is a receipt,
    /// or it was not, and this throws; a receipt without a sequence is of a change that is not recorded yet.
    /// - Parameters:
    ///   - action: A JSON object with the action's name as `type`, and its fields beside it.
    ///   - store: The store's id.
    ///   - actor: Who acts.
    ///   - idempotencyKey: With a key that the same actor used before for the same action, the receipt is that of then; a
    ///     store remembers the keys of its newest 1,000 changes.
    /// - Returns: The change's sequence.
    /// - Throws: `unknownStore`, `unknownAction`, `invalidInput`, `keyReused`, `shuttingDown`, `overloaded`, and
    ///   `unavailable` when too much waits to be recorded.
    public func dispatch(
        _ action: JSONValue, to store: String, actor: String, idempotencyKey: String? = nil
    ) async throws(BoardError) -> StoreReceipt {
        let entry = try self.store(store).entry
        let asked = try await entry.validate(action)
        if follows {
            let command = BoardCommand.dispatch(action: action, store: store, actor: actor, key: idempotencyKey)
            return try await handOver(command).storeReceipt
        }
        let live = try admitted(store)
        let command = StoreCommand(.action, actor: actor, idempotencyKey: idempotencyKey)
        return try await give(command, .action(asked), to: live, store) { () throws(BoardError) in
            try live.store.dispatch(asked, command)
        }
    }

    /// Puts a state into a store, without any action or effect, and returns once that is recorded.
    ///
    /// - Parameters:
    ///   - store: The store's id.
    ///   - state: The state as JSON, in Swift's `Codable` form.
    ///   - actor: Who acts.
    ///   - idempotencyKey: As in `dispatch`.
    /// - Returns: The change's sequence.
    /// - Throws: As `dispatch`; `invalidInput` for a state that does not decode.
    package func rehydrate(
        _ store: String, state: JSONValue, actor: String, idempotencyKey: String? = nil
    ) async throws(BoardError) -> StoreReceipt {
        if follows {
            let command = BoardCommand.rehydrate(store: store, state: state, actor: actor, key: idempotencyKey)
            return try await handOver(command).storeReceipt
        }
        let live = try admitted(store)
        let record = try live.store.record(of: state)
        let command = StoreCommand(.rehydrated, actor: actor, idempotencyKey: idempotencyKey)
        return try await give(command, .state(record), to: live, store) { () throws(BoardError) in
            try live.store.restore(record, command)
        }
    }

    /// Puts the state back that a store was in at a moment; the log keeps everything, and this too.
    ///
    /// - Parameters:
    ///   - store: The store's id.
    ///   - sequence: The moment, as in `store(_:at:)`.
    ///   - actor: Who acts.
    ///   - idempotencyKey: As in `dispatch`.
    /// - Returns: The new change's sequence.
    /// - Throws: As `dispatch`; `unknownMoment`, and `invalidInput` for a state that no longer decodes.
    package func returnTo(
        _ store: String, sequence: SequenceNumber, actor: String, idempotencyKey: String? = nil
    ) async throws(BoardError) -> StoreReceipt {
        if follows {
            let command = BoardCommand.returnTo(store: store, sequence: sequence, actor: actor, key: idempotencyKey)
            return try await handOver(command).storeReceipt
        }
        let live = try admitted(store)
        let view = try await self.store(store, at: sequence)
        let command = StoreCommand(
            .returned, actor: actor, returnedTo: view.sequence, idempotencyKey: idempotencyKey)
        return try await give(command, .returned(to: view.sequence), to: live, store) { () throws(BoardError) in
            try live.store.restore(view.state, command)
        }
    }

    /// Puts a store's initial state back, and ends its work.
    ///
    /// - Parameters:
    ///   - store: The store's id.
    ///   - actor: Who acts.
    ///   - idempotencyKey: As in `dispatch`.
    /// - Returns: The change's sequence.
    /// - Throws: As `dispatch`.
    public func reset(
        _ store: String, actor: String, idempotencyKey: String? = nil
    ) async throws(BoardError) -> StoreReceipt {
        if follows {
            return try await handOver(.reset(store: store, actor: actor, key: idempotencyKey)).storeReceipt
        }
        let live = try admitted(store)
        let command = StoreCommand(.reset, actor: actor, idempotencyKey: idempotencyKey)
        return try await give(command, .reset, to: live, store) { () throws(BoardError) in
            try live.store.reset(command)
        }
    }

    // MARK: Inside

    private func admitted(_ store: String) throws(BoardError) -> LiveStores.Member {
        if liveStores.isClosed {
            throw BoardError(.shuttingDown, .shuttingDownSend)
        }
        try requireRecording()
        guard let live = liveStores[store] else { throw .unknownStore(store) }
        if recorder.backlog >= configuration.recordBufferLimit { throw .tooMuchWaits }
        return live
    }

    /// Gives a command to its store, or finds the one that its key led to.
    ///
    /// Once `give` has returned the store has changed: from there on nothing throws.
    private func give(
        _ command: StoreCommand, _ asked: StoreKeys.Asked, to live: LiveStores.Member, _ store: String,
        _ give: () throws(BoardError) -> Void
    ) async throws(BoardError) -> StoreReceipt {
        guard let key = command.idempotencyKey, let actor = command.actor else {
            try give()
            return StoreReceipt(store: store, sequence: await sequence(of: command.recorded))
        }
        return try await idempotency.withLock(with: .store(store, actor: actor, key: key)) {
            () async throws(BoardError) -> StoreReceipt in
            if let known = try live.keys.command(of: key, actor: actor, asked) {
                return StoreReceipt(store: store, sequence: await sequence(of: known.recorded), isNew: false)
            }
            try give()
            live.keys.remember(asked, command)
            return StoreReceipt(store: store, sequence: await sequence(of: command.recorded))
        }
    }
}
