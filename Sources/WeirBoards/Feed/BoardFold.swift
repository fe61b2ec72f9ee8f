import WeirJournals

/// The fold of the journal: what the board and its unended runs are after a change.
///
/// Pure.
struct BoardFold: Sendable {
    /// The runs that have not ended, by their ids.
    private(set) var runs: [String: RunView]
    /// The board after the last change.
    private(set) var board: BoardView
    /// Each operation as the last publication about it said that it was.
    ///
    /// What is taken out of the board in between stays here, because pages that are open still show it.
    private var shown: [String: OperationView]

    init(board: BoardView, runs: [RunView] = []) {
        self.board = board
        self.runs = Dictionary(runs.map { ($0.record.id, $0) }) { $1 }
        shown = Dictionary(board.operations.map { ($0.id, $0) }) { $1 }
    }

    /// Takes runs out of the board.
    mutating func forget(_ runs: Set<String>) {
        let active = runs.compactMap { self.runs.removeValue(forKey: $0)?.record.operation }
        board = board.without(runs, active: active)
    }

    /// Changes the board's lists.
    mutating func rewriteBoard(_ transform: (BoardView) -> BoardView) { board = transform(board) }

    /// Folds the next change in.
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
