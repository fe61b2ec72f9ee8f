@testable import WeirBoards
import WeirJournals
import WeirStates

/// A board told step by step: what a journal and a board would make of the same changes, without either.
struct BoardScript {
    private(set) var board: BoardView
    private(set) var runs: [String: RunView] = [:]
    private var stores: [String: StoreView] = [:]
    private var order: [String] = []
    private var sequence: SequenceNumber = 0
    private var clock: Int64

    init(_ catalog: Catalog, startingAt clock: Int64 = 1_795_262_400_000) {
        self.clock = clock
        board = BoardView(
            sequence: 0, operations: catalog.entries.map { OperationView(id: $0.id) }, recentRuns: [],
            stores: catalog.stores.map { StoreView($0) })
    }

    mutating func act(
        _ store: String, _ state: StateRecord, _ step: StoreStep, after milliseconds: Int64 = 100
    ) -> Publication? {
        guard let old = board.store(store) else { return nil }
        sequence = sequence.next
        clock += milliseconds
        let draft = ChangeDraft(
            stream: .store(store), subject: store, revision: old.revision + 1, at: Timestamp(milliseconds: clock),
            state: state, isTransition: true, step: step)
        let change = Change(sequence: sequence, draft: draft)
        let new = old.applying(change)
        stores[store] = new
        board = view()
        return Publication(change: change, run: nil, store: new, board: board, storeBefore: old)
    }

    mutating func open(
        _ run: String, _ operation: String, _ state: StateRecord, input: JSONValue = [:], actor: String = "operator",
        retryOf: String? = nil, expected: RunEstimate? = nil, origin: ChangeOrigin? = nil,
        after milliseconds: Int64 = 100
    ) -> Publication {
        let opening = RunOpening(actor: actor, input: input, retryOf: retryOf, expected: expected)
        return publish(run, operation, state, opening: opening, cause: nil, origin: origin, after: milliseconds)
    }

    mutating func move(
        _ run: String, _ state: StateRecord, cause: String? = nil, after milliseconds: Int64 = 100
    ) -> Publication? {
        guard let operation = runs[run]?.record.operation else { return nil }
        return publish(run, operation, state, opening: nil, cause: cause, after: milliseconds)
    }

    private mutating func publish(
        _ id: String, _ operation: String, _ state: StateRecord, opening: RunOpening?, cause: String?,
        origin: ChangeOrigin? = nil, after milliseconds: Int64
    ) -> Publication {
        sequence = sequence.next
        clock += milliseconds
        let old = runs[id]
        let draft = ChangeDraft(
            stream: .run(id), subject: operation, revision: (old?.record.revision ?? -1) + 1,
            at: Timestamp(milliseconds: clock), state: state,
            isTransition: old?.record.state.caseName != state.caseName || old == nil, cause: cause, opening: opening)
        let change = Change(sequence: sequence, draft: draft, origin: origin)
        let run = old?.applying(change) ?? RunView(opening: change)
        if let run { runs[id] = run }
        if old == nil { order.insert(id, at: 0) }
        let operationBefore = board.operation(operation)
        board = view()
        return Publication(change: change, run: run, before: old, board: board, operationBefore: operationBefore)
    }

    private func view() -> BoardView {
        let all = order.compactMap { runs[$0] }
        let operations = board.operations.map { operation in
            let own = all.filter { $0.record.operation == operation.id }
            return OperationView(
                id: operation.id, recent: Array(own.prefix(20)), activeRuns: own.count { $0.record.endedAt == nil })
        }
        return BoardView(
            sequence: sequence, operations: operations, recentRuns: Array(all.prefix(25)),
            stores: board.stores.map { stores[$0.id] ?? $0 })
    }
}
