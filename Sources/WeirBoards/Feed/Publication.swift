package import WeirJournals

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
    /// The change's operation as the publication before said that it was; nil if the change is not that of a run of an
    /// operation in the catalog.
    package let operationBefore: OperationView?
    /// The store before the change; nil if the change is not that of a store in the catalog.
    package let storeBefore: StoreView?

    /// Creates a publication from its parts.
    package init(
        change: Change, run: RunView?, before: RunView? = nil, store: StoreView? = nil, board: BoardView,
        operationBefore: OperationView? = nil, storeBefore: StoreView? = nil
    ) {
        self.change = change
        self.run = run
        self.before = before
        self.store = store
        self.board = board
        self.operationBefore = operationBefore
        self.storeBefore = storeBefore
    }

    /// The board before the change, as far as the change concerns it: without the run's place in the list of the newest.
    package var boardBefore: BoardView {
        BoardView(
            sequence: board.sequence,
            operations: board.operations.map { $0.id == operationBefore?.id ? operationBefore ?? $0 : $0 },
            recentRuns: board.recentRuns, stores: board.stores.map { $0.id == store?.id ? storeBefore ?? $0 : $0 })
    }

    /// The same change with another board after it.
    func with(_ board: BoardView) -> Publication {
        Publication(
            change: change, run: run, before: before, store: store, board: board, operationBefore: operationBefore,
            storeBefore: storeBefore)
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
