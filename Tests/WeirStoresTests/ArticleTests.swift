import Testing
import WeirStores
import WeirTesting

/// Counts, and announces each reset.
struct Counter: Reducer {
    enum Action: Equatable { case increment, reset }
    enum Effect: Equatable { case wasReset }

    var initialState: Int { 0 }

    func reduce(_ action: Action, _ state: Int, _ dispatch: Dispatcher<Action>) -> Reduced<Int, Effect> {
        switch action {
        case .increment: Reduced(state + 1)
        case .reset: Reduced(0, .wasReset)
        }
    }
}

/// The store that the articles of WeirStores and WeirTesting show.
@Suite(.timeLimit(.minutes(15)))
struct ArticleTests {
    @Test func `a store has the state of its actions`() {
        let store = Store(Counter())
        store.dispatch(.increment)
        store.dispatch(.increment)
        #expect(store.state.value == 2)
    }

    @Test func `a test states each change and each effect`() {
        let store = TestStore(Counter())
        store.send(.increment) { $0 = 1 }
        store.send(.reset) { $0 = 0 }
        store.receiveEffect(.wasReset)
        store.finish()
    }
}
