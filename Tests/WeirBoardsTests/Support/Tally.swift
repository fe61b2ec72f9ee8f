import WeirBoards
import WeirJournals
import WeirOperations
import WeirStates
import WeirStores

/// A store for tests: it counts, says who counted last, and works when it is told to.
struct Tally: Reducer {
    var initial = 0
    /// What `load` does: its results are dispatched in order.
    var load: @Sendable (Dispatcher<TallyAction>) async -> Void = { _ in }

    var initialState: TallyState { .counting(count: initial, by: nil) }

    func reduce(
        _ action: TallyAction, _ state: TallyState, _ dispatch: Dispatcher<TallyAction>
    ) -> Reduced<TallyState, TallyEffect> {
        switch (action, state) {
        case (.add(let step, let by, _), .counting(let count, _)):
            return Reduced(
                .counting(count: count + step, by: by), effects: step > 99 ? [.cheer(count + step), .log] : [])
        case (.close, .counting(let count, _)): return Reduced(.closed(count: count))
        case (.load, _):
            dispatch.run(id: "load", load)
            return Reduced(state)
        case (.loaded(let count), _): return Reduced(.counting(count: count, by: nil))
        default: return Reduced(state)
        }
    }
}

enum TallyState: OfferingState {
    case counting(count: Int, by: String?)
    case closed(count: Int)

    static var samples: [TallyState] {
        [.counting(count: 2, by: "anna"), .counting(count: 0, by: nil), .closed(count: 3)]
    }

    var phase: Phase {
        switch self {
        case .counting: .active
        case .closed: .succeeded
        }
    }

    var offers: [ActionOffer] {
        switch self {
        case .counting(let count, _):
            [ActionOffer("add", values: ["step": .integer(Int64(count))], anchor: "count"), ActionOffer("close")]
        case .closed: [ActionOffer("close", isEnabled: false)]
        }
    }
}

enum TallyAction: AttributedAction {
    case add(step: Int, by: String? = nil, at: Timestamp? = nil)
    case close
    case load
    case loaded(count: Int)

    static var forms: [ActionForm] {
        [
            ActionForm(
                "add", "Add", fields: [InputField("step", "Step", .integer(1...1_000), default: 1)], tone: .primary),
            ActionForm("close", "Close", tone: .danger), ActionForm("load", "Load"),
        ]
    }

    func acted(by actor: String, at time: Timestamp) -> TallyAction {
        guard case .add(let step, _, _) = self else { return self }
        return .add(step: step, by: actor, at: time)
    }
}

enum TallyEffect: StoreEffect {
    case cheer(Int)
    case log

    var presentation: RecordedEffect {
        switch self {
        case .cheer(let count): RecordedEffect(.toast(message: "\(count)!"), audience: ["anna"])
        case .log: RecordedEffect(.other(name: "log", payload: [:]))
        }
    }
}
