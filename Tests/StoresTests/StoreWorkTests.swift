import Flows
import Stores
import Testing

@Suite struct StoreWorkTests {
    @Test func `a receipt settles when the work its action started has told its result`() async {
        let store = Store(CounterReducer(work: { $0 * 2 }))
        await store.dispatch(.load(21)).settled()
        #expect(store.currentState == .init(count: 42))
    }

    // I10
    @Test func `work cancelled in the turn that asked for it never runs`() async {
        let store = Store(CounterReducer())
        await store.dispatch(.startAndCancel).settled()
        #expect(store.currentState.count == 0)
    }

    // I10
    @Test func `work that was cancelled can no longer dispatch, even when it goes on`() async {
        let gate = Gate()
        let store = Store(
            CounterReducer(work: { number in
                await gate.pass()
                return number
            }))
        let receipt = store.dispatch(.load(7))
        _ = await gate.arrivals.first { $0 == 1 }
        store.dispatch(.stop)
        gate.open()
        await receipt.settled()
        #expect(store.currentState == .init(count: 0, isLoading: false))
    }

    @Test func `a newer result is never overwritten by an older one`() async {
        let slow = Gate()
        let store = Store(
            CounterReducer(work: { number in
                if number == 1 { await slow.pass() }
                return number
            }))
        let first = store.dispatch(.load(1))
        _ = await slow.arrivals.first { $0 == 1 }
        await store.dispatch(.load(2)).settled()
        slow.open()
        await first.settled()
        #expect(store.currentState.count == 2)
    }

    // I8
    @Test func `reset restores the initial state, cancels work and drops effects`() async {
        let gate = Gate()
        let store = Store(
            CounterReducer(work: { number in
                await gate.pass()
                return number
            }))
        let receipt = store.dispatch(.load(9))
        _ = await gate.arrivals.first { $0 == 1 }
        store.dispatch(.say("hello"))
        store.reset()
        gate.open()
        await receipt.settled()
        #expect(store.currentState == .init())
        #expect(store.effectMailbox.next() == nil)
    }

    // I8
    @Test func `rehydrate replaces the state, notifies once and runs no effect`() {
        let store = Store(CounterReducer())
        let seen = Collected<Int>()
        let subscription = store.state.subscribe(.lossless) { seen.add($0.count) }
        store.rehydrate(.init(count: 5))
        #expect(seen.values == [0, 5])
        #expect(store.effectMailbox.waitingCount == 0)
        subscription.cancel()
    }
}
