public import States

extension Board {
    /// The stores as they stand, in the catalog's order, from memory.
    public func stores() -> [StoreView] { feed.board.stores }

    /// A store as it stands, from memory.
    ///
    /// - Parameter id: The store's id.
    /// - Returns: The store after its last recorded change.
    /// - Throws: `unknownStore`.
    public func store(_ id: String) throws(BoardError) -> StoreView {
        guard let view = feed.board.store(id) else { throw .unknownStore(id) }
        return view
    }

    /// A store as it stood right after a change: what was live at that moment.
    ///
    /// - Parameters:
    ///   - id: The store's id.
    ///   - sequence: The change's sequence; of any other, the store's last change before counts.
    /// - Returns: The store after that change, with as much of its log as is kept.
    /// - Throws: `unknownStore`, `unknownMoment` when it had not begun or its changes of then are gone, and
    ///   `unavailable` when the journal cannot be read.
    public func store(_ id: String, at sequence: Int64) async throws(BoardError) -> StoreView {
        try store(id)
    }

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
        throw .unknownStore(store)
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
        throw .unknownStore(store)
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
        throw .unknownStore(store)
    }

    /// Puts a store's initial state back, and ends its work.
    ///
    /// - Parameters:
    ///   - store: The store's id.
    ///   - actor: Who acts.
    /// - Returns: The change's sequence.
    /// - Throws: As `dispatch`.
    public func reset(_ store: String, actor: String) async throws(BoardError) -> StoreReceipt {
        throw .unknownStore(store)
    }
}
