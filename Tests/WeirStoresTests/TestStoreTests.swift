import Testing
import WeirFlows
import WeirStores
@testable import WeirTesting

@Suite(.timeLimit(.minutes(15))) struct TestStoreTests {
    private struct Complaint: Equatable {
        let words: String
        let line: UInt
    }

    private func store(
        _ reducer: CounterReducer = CounterReducer(), exhaustivity: Exhaustivity = .on
    ) -> (TestStore<CounterReducer>, Collected<Complaint>) {
        let complaints = Collected<Complaint>()
        let store = TestStore(
            reducer, exhaustivity: exhaustivity,
            made: SourcePlace(fileID: #fileID, filePath: #filePath, line: 1, column: 1)
        ) { words, place in complaints.add(Complaint(words: words, line: place.line)) }
        return (store, complaints)
    }

    // J1
    @Test func `what a test leaves out or states wrongly fails that test, not only a log`() {
        withKnownIssue("a change that was not stated, and an effect that was not received") {
            let store = TestStore(CounterReducer())
            store.send(.add(2))
            store.send(.say("done"))
            store.finish()
        } matching: { issue in
            issue.severity == .error
        }
    }

    @Test func `a test that states everything passes`() async {
        let (store, complaints) = store(CounterReducer(work: { $0 + 1 }))
        store.send(.add(2)) { $0.count = 2 }
        store.send(.load(4)) { $0.isLoading = true }
        await store.receive(.loaded(5)) { $0 = .init(count: 5) }
        store.send(.say("done"))
        store.receiveEffect("done")
        await store.settle()
        store.finish()
        #expect(complaints.values.isEmpty)
    }

    // J1
    @Test func `a state change that was not stated fails at its line`() {
        let (store, complaints) = store()
        store.send(.add(2)); let line = UInt(#line)
        store.finish()
        #expect(complaints.values.map(\.line) == [line])
        #expect(complaints.values.first?.words.contains("without being stated") == true)
    }

    // J1
    @Test func `an effect that was not received fails at the end`() {
        let (store, complaints) = store()
        store.send(.say("hello"))
        store.finish(); let line = UInt(#line)
        #expect(complaints.values.map(\.line) == [line])
        #expect(complaints.values.first?.words.contains("hello") == true)
    }

    // J1
    @Test func `an action of work that was not received fails at the end`() async {
        let (store, complaints) = store()
        store.send(.load(1)) { $0.isLoading = true }
        await store.settle()
        store.finish()
        #expect(complaints.values.contains { $0.words.contains("never received") && $0.words.contains("loaded(1)") })
    }

    // J1
    @Test func `work that goes on fails at the end`() async {
        let gate = Gate()
        let (store, complaints) = store(
            CounterReducer(work: { number in
                await gate.pass()
                return number
            }))
        store.send(.load(1)) { $0.isLoading = true }
        _ = await gate.arrivals.first { $0 == 1 }
        store.finish()
        gate.open()
        #expect(complaints.values.map(\.words) == ["1 piece(s) of work are still running: load"])
    }

    // J2
    @Test func `stating a change that did not happen fails`() {
        let (store, complaints) = store()
        store.send(.add(1)) { $0.count = 2 }
        store.send(.add(0)) { _ in }
        store.finish()
        #expect(complaints.values.count == 2)
    }

    // J3
    @Test func `actions of work are held until they are received`() async {
        let (store, complaints) = store()
        store.send(.load(3)) { $0.isLoading = true }
        await store.settle()
        #expect(store.state.count == 0)
        await store.receive(.loaded(3)) { $0 = .init(count: 3) }
        await store.settle()
        store.finish()
        #expect(complaints.values.isEmpty)
    }

    @Test func `receiving what can never come fails instead of waiting for ever`() async {
        let (store, complaints) = store()
        await store.receive(.loaded(1))
        store.finish()
        #expect(
            complaints.values.map(\.words) == [
                "The action loaded(1) was never received, and no work is left that could send it."
            ])
    }

    // J4
    @Test func `without exhaustivity what was left out is told, not failed`() async {
        let (store, complaints) = store(exhaustivity: .off(showSkipped: false))
        store.send(.add(2))
        store.send(.say("hello"))
        store.send(.add(1)) { $0.count = 3 }
        store.finish()
        #expect(complaints.values.isEmpty)
        #expect(store.skipped.count == 2)
    }

    // J5
    @Test func `whoever is cancelled before it sleeps on the virtual clock does not sleep`() async {
        let clock = VirtualClock()
        let gate = Gate()
        let sleep = Task {
            await gate.pass()
            try await clock.sleep(for: .seconds(1))
        }
        _ = await gate.arrivals.first { $0 == 1 }
        sleep.cancel()
        gate.open()
        await #expect(throws: CancellationError.self) { try await sleep.value }
        #expect(clock.sleepers.value == 0)
    }

    // J5
    @Test func `work that waits on the virtual clock goes on when the clock is moved`() async {
        let clock = VirtualClock()
        let (store, complaints) = store(
            CounterReducer(work: { number in
                do { try await clock.sleep(for: .seconds(3_600)) } catch { return -1 }
                return number
            }))
        store.send(.load(8)) { $0.isLoading = true }
        _ = await clock.sleepers.first { $0 == 1 }
        clock.advance(by: .seconds(3_600))
        await store.receive(.loaded(8)) { $0 = .init(count: 8) }
        await store.settle()
        store.finish()
        #expect(complaints.values.isEmpty)
    }

    /// Keeps what it is told, which its work does twice.
    private struct Listener: Reducer {
        enum Action: Equatable, Sendable {
            case ask
            case told(Int)
        }

        var initialState: [Int] { [] }

        func reduce(_ action: Action, _ state: [Int], _ dispatch: Dispatcher<Action>) -> Reduced<[Int], String> {
            switch action {
            case .ask:
                dispatch.run(id: "ask") { dispatch in
                    dispatch(.told(1))
                    dispatch(.told(2))
                }
                return Reduced(state)
            case .told(let number): return Reduced(state + [number])
            }
        }
    }

    // J3
    @Test func `actions of work are received in the order in which it sent them`() async {
        let store = TestStore(Listener())
        store.send(.ask)
        await store.settle()
        await store.receive(.told(1)) { $0 = [1] }
        await store.receive(.told(2)) { $0 = [1, 2] }
        await store.settle()
        store.finish()
    }
}
