import Testing
import WeirFlows
import WeirStores

private final class Listener: StoreObserver {
    let seen = Collected<Int>()
    let then: @Sendable (Listener, Int) -> Void

    init(then: @escaping @Sendable (Listener, Int) -> Void = { _, _ in }) {
        self.then = then
    }

    func stateChanged(to state: CounterReducer.State) {
        seen.add(state.count)
        then(self, state.count)
    }
}

@Suite struct StoreObserverTests {
    @Test func `an observer is told the current state and each later one`() {
        let store = Store(CounterReducer())
        let listener = Listener()
        store.addObserver(listener)
        store.dispatch(.add(1))
        #expect(listener.seen.values == [0, 1])
    }

    // I9
    @Test func `removing an observer is final and may be done twice`() {
        let store = Store(CounterReducer())
        let listener = Listener()
        store.addObserver(listener)
        store.removeObserver(listener)
        store.removeObserver(listener)
        store.dispatch(.add(1))
        #expect(listener.seen.values == [0])
    }

    // I9
    @Test func `an observer may remove itself and add another while it is told`() {
        let store = Store(CounterReducer())
        let second = Listener()
        let first = Listener { listener, count in
            guard count == 1 else { return }
            store.removeObserver(listener)
            store.addObserver(second)
        }
        store.addObserver(first)
        store.dispatch(.add(1))
        store.dispatch(.add(1))
        #expect(first.seen.values == [0, 1])
        #expect(second.seen.values == [1, 2])
    }

    @Test func `a store keeps no hold on its observers`() {
        let store = Store(CounterReducer())
        weak var gone: Listener?
        do {
            let listener = Listener()
            gone = listener
            store.addObserver(listener)
        }
        #expect(gone == nil)
    }
}
