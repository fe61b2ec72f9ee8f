import Journals
public import States

extension Board {
    /// Sends a store an action, and returns once the change it produced is recorded.
    ///
    /// What the action's own work dispatches later is not waited for.
    /// - Parameters:
    ///   - action: A JSON object with the action's name as `type`, and its fields beside it.
    ///   - store: The store's id.
    ///   - actor: Who acts.
    ///   - idempotencyKey: With a key that was used before for the same action, the receipt is that of then; a store
    ///     remembers the keys of its newest 1,000 changes.
    /// - Returns: The change's sequence.
    /// - Throws: `unknownStore`, `unknownAction`, `invalidInput`, `keyReused`, `shuttingDown`, and `unavailable` when
    ///   too much waits to be recorded, or the change could not be recorded in time.
    public func dispatch(
        _ action: JSONValue, to store: String, actor: String, idempotencyKey: String? = nil
    ) async throws(BoardError) -> StoreReceipt {
        let entry = try self.store(store).entry
        let asked = try entry.validate(action)
        let live = try admitted(store)
        guard let idempotencyKey else {
            return try await recorded(StoreCommand(.action, actor: actor), in: store) { command throws(BoardError) in
                try live.store.dispatch(asked, command)
            }
        }
        return try await desk.alone(with: "\(StreamID.store(store)) \(idempotencyKey)") {
            () async throws(BoardError) -> StoreReceipt in
            if let known = try live.keys.command(of: idempotencyKey, asked) {
                return StoreReceipt(store: store, sequence: try await sequence(of: known), isNew: false)
            }
            let command = StoreCommand(.action, actor: actor, idempotencyKey: idempotencyKey)
            return try await recorded(command, in: store) { command throws(BoardError) in
                try live.store.dispatch(asked, command)
                live.keys.remember(idempotencyKey, asked, command)
            }
        }
    }

    /// Puts a state into a store, without any action or effect, and returns once that is recorded.
    ///
    /// - Parameters:
    ///   - store: The store's id.
    ///   - state: The state as JSON, in Swift's `Codable` form.
    ///   - actor: Who acts.
    /// - Returns: The change's sequence.
    /// - Throws: As `dispatch`; `invalidInput` for a state that does not decode.
    public func rehydrate(_ store: String, state: JSONValue, actor: String) async throws(BoardError) -> StoreReceipt {
        let live = try admitted(store)
        return try await recorded(StoreCommand(.rehydrated, actor: actor), in: store) { command throws(BoardError) in
            try live.store.rehydrate(state, command)
        }
    }

    /// Puts the state back that a store was in at a moment; the log keeps everything, and this too.
    ///
    /// - Parameters:
    ///   - store: The store's id.
    ///   - sequence: The moment, as in `store(_:at:)`.
    ///   - actor: Who acts.
    /// - Returns: The new change's sequence.
    /// - Throws: As `dispatch`; `unknownMoment`, and `invalidInput` for a state that no longer decodes.
    public func returnTo(
        _ store: String, sequence: Int64, actor: String
    ) async throws(BoardError) -> StoreReceipt {
        let live = try admitted(store)
        let view = try await self.store(store, at: sequence)
        let command = StoreCommand(.returned, actor: actor, returnedTo: view.sequence)
        return try await recorded(command, in: store) { command throws(BoardError) in
            try live.store.restore(view.state, command)
        }
    }

    /// Puts a store's initial state back, and ends its work.
    ///
    /// - Parameters:
    ///   - store: The store's id.
    ///   - actor: Who acts.
    /// - Returns: The change's sequence.
    /// - Throws: As `dispatch`.
    public func reset(_ store: String, actor: String) async throws(BoardError) -> StoreReceipt {
        let live = try admitted(store)
        return try await recorded(StoreCommand(.reset, actor: actor), in: store) { command throws(BoardError) in
            try live.store.reset(command)
        }
    }

    // MARK: Inside

    private func admitted(_ store: String) throws(BoardError) -> LiveStores.Member {
        if liveStores.isClosed {
            throw BoardError(.shuttingDown, "The server is shutting down. Send this again when it is back.")
        }
        guard let live = liveStores[store] else { throw .unknownStore(store) }
        if recorder.backlog >= configuration.recordBufferLimit { throw .tooMuchWaits }
        return live
    }

    private func recorded(
        _ command: StoreCommand, in store: String, _ give: (StoreCommand) throws(BoardError) -> Void
    ) async throws(BoardError) -> StoreReceipt {
        try give(command)
        return StoreReceipt(store: store, sequence: try await sequence(of: command))
    }

    private func sequence(of command: StoreCommand) async throws(BoardError) -> Int64 {
        let sequence = await command.recorded.value(within: configuration.commandTimeout, clock: clock)
        if let sequence { return sequence }
        throw BoardError(
            .unavailable,
            """
            This was taken but could not be recorded yet, and is shown as soon as it is. Repeat it only with the same \
            idempotency key.
            """)
    }
}
