package import WeirJournals
public import WeirStates

extension Board {
    package func stores() -> [StoreView] { feed.board.stores }

    /// A current store, from memory.
    ///
    /// Throws `unknownStore`.
    package func store(_ id: String) throws(BoardError) -> StoreView {
        guard let view = feed.board.store(id) else { throw .unknownStore(id) }
        return view
    }

    /// A store after its last change up to a sequence, with the part of its log that is retained.
    ///
    /// Throws `unknownStore`, `unknownMoment` if the store had not begun or its changes were removed, and `unavailable`
    /// if the journal cannot be read.
    package func store(_ id: String, at sequence: SequenceNumber) async throws(BoardError) -> StoreView {
        let entry = try store(id).entry
        if let view = feed.store(id, through: sequence) { return view }
        let view = try await read { try await journal.view(of: entry, through: min(sequence, feed.head(of: .board))) }
        guard view.sequence > 0 else { throw .unknownMoment(of: id) }
        return view
    }
}

extension Board {
    /// Sends an action to a store, and returns once the resulting change is recorded.
    ///
    /// Does not wait for what the action's work dispatches later. The call throws only if the store did not accept the
    /// action; a receipt without a sequence means that the change is not recorded yet.
    /// - Parameters:
    ///   - action: A JSON object with the action's name as `type`, and its fields beside it.
    ///   - store: The store's id.
    ///   - actor: Who acts.
    ///   - idempotencyKey: If the same actor used this key for the same action, the call returns the earlier receipt. A
    ///     store keeps the keys of its newest 1,000 changes.
    /// - Returns: The change's sequence.
    /// - Throws: `unknownStore`, `unknownAction`, `invalidInput`, `keyReused`, `shuttingDown`, `overloaded`, and
    ///   `unavailable` if too many changes are waiting to be recorded.
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

    /// Sets a store's state without an action or effects, and returns once that is recorded.
    ///
    /// `state` is in Swift's `Codable` form. Throws as `dispatch`, and `invalidInput` if the state does not decode.
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

    /// Restores the state after a past change, as in `store(_:at:)`; this is a new change of the log.
    ///
    /// Throws as `dispatch`, `unknownMoment`, and `invalidInput` if the state no longer decodes.
    func returnTo(
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

    /// Restores a store's initial state, and cancels its work.
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

    private func admitted(_ store: String) throws(BoardError) -> LiveStores.Member {
        if liveStores.isClosed {
            throw BoardError(.shuttingDown, .shuttingDownSend)
        }
        try requireRecording()
        guard let live = liveStores[store] else { throw .unknownStore(store) }
        if recorder.backlog >= configuration.recordBufferLimit { throw .tooMuchWaits }
        return live
    }

    /// Executes a command, or finds the earlier one with its idempotency key.
    ///
    /// Nothing throws after `give` has returned, because the store has changed.
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

/// The result of a command to a store.
public struct StoreReceipt: Sendable, Hashable {
    package let store: String
    /// The sequence of the change; a page as of this sequence or a later one shows it.
    ///
    /// Nil if the change was not recorded in time: the store has changed nevertheless, so repeat the command only with
    /// its idempotency key.
    package let sequence: SequenceNumber?
    /// Whether this request produced the change, rather than an earlier one with the same idempotency key.
    public let isNew: Bool

    package init(store: String, sequence: SequenceNumber?, isNew: Bool = true) {
        self.store = store
        self.sequence = sequence
        self.isNew = isNew
    }
}
