import Testing
import TestSupport
import WeirFlows
import WeirStores

@Suite(.timeLimit(.minutes(15))) struct StoreWorkTests {
    @Test func `a receipt settles when the work its action started has told its result`() async {
        let store = Store(CounterReducer(work: { $0 * 2 }))
        #expect(await soon { await store.dispatch(.load(21)).settled() } != nil)
        #expect(store.currentState == .init(count: 42))
    }

    @Test func `a receipt says which revision an action made, also when it is asked late`() async {
        let store = Store(CounterReducer())
        await store.dispatch(.add(1)).settled()
        let receipt = store.dispatch(.add(1))
        await receipt.settled()
        #expect(await soon { await receipt.committed() } == 2)
        #expect(store.currentState.count == 2)
    }

    // I10
    @Test func `work cancelled in the turn that asked for it never runs`() async {
        let store = Store(CounterReducer())
        await store.dispatch(.startAndCancel).settled()
        #expect(store.currentState.count == 0)
    }

    /// Starts work that waits for its own cancellation, which comes in the same turn or from the work itself.
    private struct Doomed: Reducer {
        enum Action: Sendable {
            case startAndCancel
            case cancelItself
        }

        /// Whether the work was cancelled while it looked.
        let seen = Collected<Bool>()

        var initialState: Int { 0 }

        func reduce(_ action: Action, _ state: Int, _ dispatch: Dispatcher<Action>) -> Reduced<Int, String> {
            dispatch.run(id: "doomed") { [seen] dispatch in
                if case .cancelItself = action { dispatch.cancel(id: "doomed") }
                // Ends with the cancellation and not before.
                _ = await MutableStateFlow(false).first { $0 }
                seen.add(Task.isCancelled)
            }
            if case .startAndCancel = action { dispatch.cancel(id: "doomed") }
            return Reduced(state + 1)
        }
    }

    // I10
    @Test(arguments: [Doomed.Action.startAndCancel, .cancelItself])
    private func `work is told to stop however early it is cancelled`(action: Doomed.Action) async throws {
        let reducer = Doomed()
        let store = Store(reducer)
        // Often, because its work may be cancelled before or after the store has noted it.
        for _ in 0..<300 { try #require(await soon { await store.dispatch(action).settled() } != nil) }
        #expect(!reducer.seen.values.contains(false))
    }

    /// Starts two pieces of work in one turn, each of which adds a number.
    private struct Twofold: Reducer {
        enum Action: Sendable {
            case start
            case add(Int)
        }

        var initialState: Int { 0 }

        func reduce(_ action: Action, _ state: Int, _ dispatch: Dispatcher<Action>) -> Reduced<Int, String> {
            switch action {
            case .start:
                dispatch.run(id: "ones") { dispatch in dispatch(.add(1)) }
                dispatch.run(id: "tens") { dispatch in dispatch(.add(10)) }
                return Reduced(state)
            case .add(let number): return Reduced(state + number)
            }
        }
    }

    @Test func `all work that one turn starts runs`() async {
        let store = Store(Twofold())
        await store.dispatch(.start).settled()
        #expect(store.currentState == 11)
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
