package import WeirJournals

/// The whole board as it was at one change.
package struct BoardView: Sendable {
    /// The sequence of the change; 0 before the first.
    package let sequence: SequenceNumber
    /// Every operation of the catalog, in its order.
    package let operations: [OperationView]
    /// The latest runs of all operations, newest first, at most 25.
    package let recentRuns: [RunView]
    /// Every store of the catalog, in its order.
    package let stores: [StoreView]

    /// Creates a view from its parts.
    package init(
        sequence: SequenceNumber, operations: [OperationView], recentRuns: [RunView], stores: [StoreView] = []
    ) {
        self.sequence = sequence
        self.operations = operations
        self.recentRuns = recentRuns
        self.stores = stores
    }

    /// The view as it is at another sequence, up to which nothing else is kept.
    func at(_ sequence: SequenceNumber) -> BoardView {
        BoardView(sequence: sequence, operations: operations, recentRuns: recentRuns, stores: stores)
    }

    /// The operation with that id.
    package func operation(_ id: String) -> OperationView? { operations.first { $0.id == id } }

    /// The store with that id.
    package func store(_ id: String) -> StoreView? { stores.first { $0.id == id } }
}
