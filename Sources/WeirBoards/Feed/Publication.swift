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

package struct BoardView: Sendable {
    /// The sequence of the change; 0 before the first.
    package let sequence: SequenceNumber
    package let operations: [OperationView]
    /// The latest runs of all operations, newest first, at most 25.
    package let recentRuns: [RunView]
    package let stores: [StoreView]

    package init(
        sequence: SequenceNumber, operations: [OperationView], recentRuns: [RunView], stores: [StoreView] = []
    ) {
        self.sequence = sequence
        self.operations = operations
        self.recentRuns = recentRuns
        self.stores = stores
    }

    /// A copy with another sequence, used when the changes in between do not affect this view.
    func at(_ sequence: SequenceNumber) -> BoardView {
        BoardView(sequence: sequence, operations: operations, recentRuns: recentRuns, stores: stores)
    }

    package func operation(_ id: String) -> OperationView? { operations.first { $0.id == id } }

    package func store(_ id: String) -> StoreView? { stores.first { $0.id == id } }
}

/// An operation after a change, with its latest runs.
package final class OperationView: Sendable {
    package let id: String
    /// The latest runs, at most twenty: local runs first, newest first, then imported ones.
    package let recent: [RunView]
    package let activeRuns: Int

    package init(id: String, recent: [RunView] = [], activeRuns: Int = 0) {
        self.id = id
        self.recent = recent
        self.activeRuns = activeRuns
    }

    package var latest: RunView? { recent.first }
}

/// A run after a change: the only input for rendering its pages.
///
/// Immutable, so that rendering a page of the same change always produces the same bytes. Only the same object is equal.
package final class RunView: Sendable, Equatable {
    /// The accumulated state of the run's changes.
    package let record: RunRecord
    package let at: Timestamp
    /// The states it passed through, oldest first, at most the newest 500.
    package let transitions: [Transition]
    /// The number of older transitions that `transitions` omits.
    package let omittedTransitions: Int

    package static func == (first: RunView, second: RunView) -> Bool { first === second }

    package init(record: RunRecord, at: Timestamp? = nil, transitions: [Transition], omittedTransitions: Int) {
        self.record = record
        self.at = at ?? record.endedAt ?? transitions.last?.at ?? record.startedAt
        self.transitions = transitions
        self.omittedTransitions = omittedTransitions
    }

    /// Creates the view after a run's first change; nil for any other change.
    package convenience init?(opening change: Change) {
        guard let record = RunRecord(opening: change) else { return nil }
        self.init(record: record, at: change.at, transitions: [Transition(change)], omittedTransitions: 0)
    }

    static let transitionLimit = 500

    /// Creates the view at a point of a run's past; nil if `opening` does not open a run.
    convenience init?(opening: Change, at point: RunPast.Point) {
        guard var record = RunRecord(opening: opening) else { return nil }
        if point.change.sequence != opening.sequence { record.apply(point.change) }
        self.init(
            record: record, at: point.change.at, transitions: point.transitions, omittedTransitions: point.omitted)
    }

    /// The view after the run's next change, with at most `limit` transitions; ``transitionLimit`` if nil.
    package func applying(_ change: Change, keeping limit: Int? = nil) -> RunView {
        var record = record
        record.apply(change)
        guard change.isTransition else {
            return RunView(
                record: record, at: change.at, transitions: transitions, omittedTransitions: omittedTransitions)
        }
        let all = transitions + [Transition(change)]
        let surplus = max(0, all.count - (limit ?? Self.transitionLimit))
        return RunView(
            record: record, at: change.at, transitions: Array(all.dropFirst(surplus)),
            omittedTransitions: omittedTransitions + surplus)
    }
}

extension BoardView {
    static let recentLimit = 25

    /// The view after the next change, of a run; `before` is nil if the change opens the run.
    func applying(_ change: Change, before: RunView?, after: RunView?) -> BoardView {
        guard let after else {
            return applying(change, store: nil)
        }
        var operations = operations
        if let index = operations.firstIndex(where: { $0.id == change.subject }) {
            operations[index] = operations[index].applying(before: before, after: after)
        }
        return BoardView(
            sequence: change.sequence, operations: operations,
            recentRuns: recentRuns.applying(after, isNew: before == nil, limit: Self.recentLimit), stores: stores)
    }

    /// The view after a change of a store, or of an unknown run or store.
    func applying(_ change: Change, store: StoreView?) -> BoardView {
        var stores = stores
        if let store, let index = stores.firstIndex(where: { $0.id == store.id }) { stores[index] = store }
        return BoardView(
            sequence: change.sequence, operations: operations, recentRuns: recentRuns, stores: stores)
    }
}

extension OperationView {
    package static let recentLimit = 20

    /// The view after a change of one of its runs.
    ///
    /// Imported runs follow local runs, so that the operation's card shows a local one.
    func applying(before: RunView?, after: RunView) -> OperationView {
        OperationView(
            id: id, recent: recent.applying(after, isNew: before == nil, limit: Self.recentLimit, ownFirst: true),
            activeRuns: activeRuns + (after.isActive ? 1 : 0) - (before?.isActive == true ? 1 : 0))
    }
}

extension RunView {
    var isActive: Bool { record.endedAt == nil }

    var isImported: Bool { record.origin != nil }
}

extension [RunView] {
    /// The list, newest first, with a run replaced, or inserted if it is new.
    fileprivate func applying(_ run: RunView, isNew: Bool, limit: Int, ownFirst: Bool = false) -> [RunView] {
        if isNew {
            let place = ownFirst && run.isImported ? firstIndex(where: \.isImported) ?? count : 0
            return Array((prefix(place) + [run] + dropFirst(place)).prefix(limit))
        }
        guard let index = firstIndex(where: { $0.record.id == run.record.id }) else { return self }
        var list = self
        list[index] = run
        return list
    }
}
