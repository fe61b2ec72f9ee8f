import WeirFlows
import WeirStores

/// An observer, as in the text: it is told every state, in order.
final class StateLog<State: Sendable>: StoreObserver {
    private let seen = MutableStateFlow<[State]>([], areEquivalent: { _, _ in false })

    var states: [State] { seen.value }

    func stateChanged(to state: State) {
        seen.mutate { $0.append(state) }
    }
}
