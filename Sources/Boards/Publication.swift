public import Journals

/// A recorded change together with what it changed, as it stood right after: what a fragment is rendered from.
public struct Publication: Sendable {
    /// The change.
    public let change: Change
    /// The run after the change; nil when the change is not a run's.
    public let run: RunView?
    /// The run before the change; nil when the change opens it, or is not a run's.
    public let before: RunView?
    /// The store after the change; nil when the change is not that of a store in the catalog.
    public let store: StoreView?
    /// The board after the change.
    public let board: BoardView

    /// Makes a publication of its parts.
    public init(change: Change, run: RunView?, before: RunView? = nil, store: StoreView? = nil, board: BoardView) {
        self.change = change
        self.run = run
        self.before = before
        self.store = store
        self.board = board
    }
}
