package import WeirJournals

extension Board {
    /// The stores as they stand, in the catalog's order, from memory.
    package func stores() -> [StoreView] { feed.board.stores }

    /// A store as it is, from memory.
    ///
    /// - Parameter id: The store's id.
    /// - Returns: The store after its last recorded change.
    /// - Throws: `unknownStore`.
    package func store(_ id: String) throws(BoardError) -> StoreView {
        guard let view = feed.board.store(id) else { throw .unknownStore(id) }
        return view
    }

    /// A store as it was right after a change: what was live at that moment.
    ///
    /// - Parameters:
    ///   - id: The store's id.
    ///   - sequence: The change's sequence; of any other, the store's last change before counts.
    /// - Returns: The store after that change, with as much of its log as is kept.
    /// - Throws: `unknownStore`, `unknownMoment` when it had not begun or its changes of then are gone, and
    ///   `unavailable` when the journal cannot be read.
    package func store(_ id: String, at sequence: SequenceNumber) async throws(BoardError) -> StoreView {
        let entry = try store(id).entry
        if let view = feed.store(id, through: sequence) { return view }
        let view = try await read { try await journal.view(of: entry, through: min(sequence, feed.head(of: .board))) }
        guard view.sequence > 0 else { throw .unknownMoment(of: id) }
        return view
    }
}
