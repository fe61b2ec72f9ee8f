import Testing
import WeirFlows
import WeirStores

@Suite(.timeLimit(.minutes(15))) struct StoreOrderTests {
    // I1
    @Test func `actions from many threads are reduced one at a time, and none is lost`() async {
        let store = Store(CounterReducer())
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask { for _ in 0..<1_000 { store.dispatch(.add(1)) } }
            }
        }
        #expect(store.currentState.count == 8_000)
    }

    // I1
    @Test func `a hundred thousand actions sent from an observer do not grow the stack`() {
        let store = Store(CounterReducer())
        let subscription = store.state.subscribe(.lossless) { state in
            if state.count > 0, state.count < 100_000 { store.dispatch(.add(1)) }
        }
        store.dispatch(.add(1))
        #expect(store.currentState.count == 100_000)
        subscription.cancel()
    }

    // I1
    @Test func `actions of one sender are reduced in the order in which they were sent`() {
        let store = Store(CounterReducer())
        let seen = Collected<Int>()
        let subscription = store.state.subscribe(.lossless) { seen.add($0.count) }
        for number in 1...100 { store.dispatch(.add(number)) }
        #expect(seen.values == (0...100).map { $0 * ($0 + 1) / 2 })
        subscription.cancel()
    }

    // I2
    @Test func `an action sent from inside a reducer is rejected and changes nothing`() {
        let rejections = Collected<DispatchReceipt.Rejection?>()
        let store = Store(CounterReducer(onNested: { rejections.add($0.rejection) }))
        store.dispatch(.nest)
        #expect(rejections.values == [.insideReducer])
        #expect(store.currentState.count == 0)
    }

    // I2
    @Test func `an action sent to the store itself from inside its reducer is rejected`() {
        struct Selfish: Reducer {
            let store = MutableStateFlow<Store<Selfish>?>(nil, areEquivalent: { _, _ in false })
            let rejection = MutableStateFlow<DispatchReceipt.Rejection?>(nil)
            var initialState: Int { 0 }

            func reduce(_ action: Bool, _ state: Int, _ dispatch: Dispatcher<Bool>) -> Reduced<Int, Never> {
                if action { rejection.value = store.value?.dispatch(false).rejection }
                return Reduced(state + 1)
            }
        }
        let reducer = Selfish()
        let store = Store(reducer)
        reducer.store.value = store
        store.dispatch(true)
        #expect(reducer.rejection.value == .insideReducer)
        #expect(store.currentState == 1)
        reducer.store.value = nil
    }

    // I2
    @Test func `an action sent from an observer comes after the one at hand`() {
        let store = Store(CounterReducer())
        let seen = Collected<Int>()
        let subscription = store.state.subscribe(.lossless) { state in
            if state.count == 1 {
                store.dispatch(.add(10))
                seen.add(-1)
            }
            seen.add(state.count)
        }
        store.dispatch(.add(1))
        #expect(seen.values == [0, -1, 1, 11])
        subscription.cancel()
    }

    // I3
    @Test func `each action's state is seen by a lossless observer`() async {
        let store = Store(CounterReducer())
        let values = store.state.values(.lossless)
        var iterator = values.makeAsyncIterator()
        _ = await iterator.next()
        for _ in 0..<100 { store.dispatch(.add(1)) }
        var seen: [Int] = []
        for _ in 0..<100 { if let state = await iterator.next() { seen.append(state.count) } }
        #expect(seen == Array(1...100))
    }

    @Test func `a receipt tells the revision that its action led to`() async {
        let store = Store(CounterReducer())
        #expect(await store.dispatch(.add(1)).committed() == 1)
        #expect(await store.dispatch(.add(1)).committed() == 2)
    }
}
