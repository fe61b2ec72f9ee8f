package import WeirJournals
import WeirStates

/// A recorded change with the views before and after it, from which page fragments are rendered.
package struct Publication: Sendable {
    package let change: Change
    /// The run after the change, or nil if the change belongs to a store.
    package let run: RunView?
    /// The run before the change, or nil if the change opens it or belongs to a store.
    package let before: RunView?
    /// The store after the change, or nil if the change belongs to no store in the catalog.
    package let store: StoreView?
    package let board: BoardView
    /// The operation in the previous publication that contained it, or nil if the change belongs to no run of an
    /// operation in the catalog.
    package let operationBefore: OperationView?
    /// The store before the change, or nil if the change belongs to no store in the catalog.
    package let storeBefore: StoreView?

    init(
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

    /// The board before the change, except that `recentRuns` is the list after it.
    package var boardBefore: BoardView {
        BoardView(
            sequence: board.sequence,
            operations: board.operations.map { $0.id == operationBefore?.id ? operationBefore ?? $0 : $0 },
            recentRuns: board.recentRuns, stores: board.stores.map { $0.id == store?.id ? storeBefore ?? $0 : $0 })
    }

    func with(_ board: BoardView) -> Publication {
        Publication(
            change: change, run: run, before: before, store: store, board: board, operationBefore: operationBefore,
            storeBefore: storeBefore)
    }
}

/// The result of reading a topic's publications after a cursor.
package enum FeedSlice: Sendable {
    /// The publications after the cursor, oldest first, at least one, and whether more follow.
    case some([Publication], more: Bool)
    /// The cursor is at the last change.
    case none
    /// Changes after the cursor are no longer available; the last of them has the sequence `floor`.
    case gap(floor: SequenceNumber)
    /// The cursor is beyond the last change.
    case future
}

extension Publication {
    var topics: [Topic] {
        switch change.stream {
        case .run(let id): [.operation(change.subject), .run(id)]
        case .store(let id): [.store(id)]
        }
    }

    /// The approximate number of bytes that the publication adds to the memory in use.
    var size: Int {
        var size = 256 + change.state.payload.byteEstimate
        if let opening = change.draft.opening { size += opening.input.byteEstimate }
        if let step = change.draft.step { size += step.size }
        if let store { size += store.log.count * MemoryLayout<StoreLogLine>.stride }
        // Each transition copies the list; ticks share the previous one.
        if change.isTransition, let run { size += run.transitions.count * MemoryLayout<Transition>.stride }
        return size
    }
}

extension StoreStep {
    fileprivate var size: Int {
        effects.reduce(128 + (action?.payload.byteEstimate ?? 0)) { size, effect in
            switch effect.kind {
            case .toast(let message): size + 64 + message.utf8.count
            case .navigation(let path): size + 64 + path.utf8.count
            case .download(_, _, let text): size + 128 + text.utf8.count
            case .other(_, let payload): size + 64 + payload.byteEstimate
            }
        }
    }
}

/// Folds changes into the current views of the board and of the active runs.
struct BoardFold: Sendable {
    private(set) var runs: [String: RunView]
    private(set) var board: BoardView
    /// Each operation as in the last publication that contained it.
    ///
    /// Runs removed from the board remain here, because open pages still show them.
    private var shown: [String: OperationView]

    init(board: BoardView, runs: [RunView] = []) {
        self.board = board
        self.runs = Dictionary(runs.map { ($0.record.id, $0) }) { $1 }
        shown = Dictionary(board.operations.map { ($0.id, $0) }) { $1 }
    }

    mutating func forget(_ runs: Set<String>) {
        let active = runs.compactMap { self.runs.removeValue(forKey: $0)?.record.operation }
        board = board.without(runs, active: active)
    }

    mutating func rewriteBoard(_ transform: (BoardView) -> BoardView) { board = transform(board) }

    mutating func apply(_ change: Change) -> Publication {
        switch change.stream {
        case .run(let id):
            let before = runs[id]
            let after = before?.applying(change) ?? RunView(opening: change)
            runs[id] = after?.isActive == true ? after : nil
            board = board.applying(change, before: before, after: after)
            let shown = board.operation(change.subject).flatMap { self.shown.updateValue($0, forKey: $0.id) }
            return Publication(change: change, run: after, before: before, board: board, operationBefore: shown)
        case .store(let id):
            let before = board.store(id)
            let store = before?.applying(change)
            board = board.applying(change, store: store)
            return Publication(change: change, run: nil, store: store, board: board, storeBefore: before)
        }
    }
}
