package import Journals

/// A recorded change together with what it changed, as it was right after: what a fragment is rendered from.
package struct Publication: Sendable {
    /// The change.
    package let change: Change
    /// The run after the change; nil if the change is not a run's.
    package let run: RunView?
    /// The run before the change; nil if the change opens it, or is not a run's.
    package let before: RunView?
    /// The store after the change; nil if the change is not that of a store in the catalog.
    package let store: StoreView?
    /// The board after the change.
    package let board: BoardView

    /// Creates a publication from its parts.
    package init(change: Change, run: RunView?, before: RunView? = nil, store: StoreView? = nil, board: BoardView) {
        self.change = change
        self.run = run
        self.before = before
        self.store = store
        self.board = board
    }

    /// The same change with another board after it.
    func with(_ board: BoardView) -> Publication {
        Publication(change: change, run: run, before: before, store: store, board: board)
    }
}

/// Part of a topic's publications, oldest first, as a cursor asked for it.
package enum FeedSlice: Sendable {
    /// The publications after the cursor, at least one, and whether more follow.
    case some([Publication], more: Bool)
    /// Nothing after the cursor yet.
    case none
    /// The cursor is older than what is kept: the changes after it up to this sequence are gone.
    case gap(floor: SequenceNumber)
    /// The cursor lies beyond the last change.
    case future
}
