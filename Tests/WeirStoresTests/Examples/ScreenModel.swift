import Observation
import WeirFlows
import WeirStores

/// A store as a screen sees it: its state to draw, and actions to send.
@MainActor @Observable final class ScreenModel<R: Reducer> {
    private(set) var state: R.State
    @ObservationIgnored private let store: Store<R>
    @ObservationIgnored private var binding: FlowSubscription?

    init(_ store: Store<R>) {
        self.store = store
        state = store.currentState
        binding = collect(store.state, into: \.state)
    }

    func dispatch(_ action: R.Action) { store.dispatch(action) }
}
