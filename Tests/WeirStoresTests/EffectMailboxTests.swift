import Testing
import WeirFlows
import WeirStores

@Suite(.timeLimit(.minutes(15))) struct EffectMailboxTests {
    private let store = Store(CounterReducer())

    // I4
    @Test func `an effect posted while nobody listens waits, and is delivered once`() async {
        store.dispatch(.say("hello"))
        let heard = Collected<String>()
        let listening = Task { await store.effectMailbox.handle { heard.add($0) } }
        #expect(await heard.count(1) == ["hello"])
        listening.cancel()
        await listening.value
        #expect(store.effectMailbox.next() == nil)
    }

    // I5
    @Test func `of two listeners exactly one has each effect`() async {
        let store = Store(CounterReducer(), effectCapacity: 200)
        let heard = Collected<String>()
        let listeners = (0..<2).map { _ in Task { await store.effectMailbox.handle { heard.add($0) } } }
        for number in 0..<200 { store.dispatch(.say("\(number)")) }
        let all = await heard.count(200)
        listeners.forEach { $0.cancel() }
        for listener in listeners { await listener.value }
        #expect(Set(all).count == 200)
        #expect(heard.values.count == 200)
    }

    // I6
    @Test func `each named observer has each effect once, and not again when it comes back`() async {
        _ = store.effectMailbox.next(observer: "anna")
        _ = store.effectMailbox.next(observer: "bert")
        store.dispatch(.say("hello"))
        #expect(store.effectMailbox.next(observer: "anna") == "hello")
        #expect(store.effectMailbox.next(observer: "anna") == nil)
        #expect(store.effectMailbox.next(observer: "bert") == "hello")
    }

    // I7
    @Test func `a listener cancelled before it began leaves the effect to another`() async {
        let gate = Gate()
        let heard = Collected<String>()
        let first = Task {
            await store.effectMailbox.handle { words in
                await gate.pass()
                heard.add("first " + words)
            }
        }
        store.dispatch(.say("one"))
        _ = await gate.arrivals.first { $0 == 1 }
        first.cancel()
        store.dispatch(.say("two"))
        gate.open()
        await first.value
        #expect(heard.values == ["first one"])
        #expect(store.effectMailbox.next() == "two")
        #expect(store.effectMailbox.next() == nil)
    }

    @Test func `beyond its capacity the oldest effect goes, and that is counted`() {
        let small = Store(CounterReducer(), effectCapacity: 2)
        for number in 1...3 { small.dispatch(.say("\(number)")) }
        #expect(small.effectMailbox.droppedCount == 1)
        #expect(small.effectMailbox.next() == "2")
    }
}
