/// The whole board as it stood at one change.
public struct BoardView: Sendable {
    /// The sequence of the change; 0 before the first.
    public let sequence: Int64
    /// Every operation of the catalog, in its order.
    public let operations: [OperationView]
    /// The latest runs of all operations, newest first, at most 25.
    public let recentRuns: [RunView]
    /// Every store of the catalog, in its order.
    public let stores: [StoreView]

    /// Makes a view of its parts.
    public init(
        sequence: Int64, operations: [OperationView], recentRuns: [RunView], stores: [StoreView] = []
    ) {
        self.sequence = sequence
        self.operations = operations
        self.recentRuns = recentRuns
        self.stores = stores
    }

    /// The operation of that id.
    public func operation(_ id: String) -> OperationView? { operations.first { $0.id == id } }

    /// The store of that id.
    public func store(_ id: String) -> StoreView? { stores.first { $0.id == id } }
}
