import Testing
import TestSupport
import WeirFlows

@Suite(.timeLimit(.minutes(15))) struct ValueAndEqualityTests {
    // A1
    @Test func `a new subscriber gets the current value first, without waiting`() async {
        let flow = MutableStateFlow(1)
        flow.value = 2
        let seen = Seen<Int>()
        let subscription = flow.subscribe(.conflated) { seen.add($0) }
        #expect(seen.all == [2])
        subscription.cancel()
        for policy in [DeliveryPolicy.conflated, .lossless, .buffered(1, onOverflow: .fail)] {
            var values = flow.values(policy).makeAsyncIterator()
            #expect(await values.next() == 2)
        }
    }

    // A2
    @Test func `the value reads back what was just set, on any thread`() async {
        let flow = MutableStateFlow(0)
        flow.value = 7
        #expect(flow.value == 7)
        let read = await Task.detached { flow.value }.value
        #expect(read == 7)
        #expect(flow.asStateFlow().value == 7)
    }

    // A3
    @Test func `setting an equal value wakes nobody`() {
        let flow = MutableStateFlow("a")
        let seen = Seen<String>()
        let subscription = flow.subscribe(.lossless) { seen.add($0) }
        flow.value = "a"
        flow.update { $0 }
        flow.mutate { $0 += "" }
        flow.value = "b"
        #expect(seen.all == ["a", "b"])
        subscription.cancel()
    }

    final class Box: Sendable {
        let number: Int
        init(_ number: Int) { self.number = number }
    }

    // A4
    @Test func `a custom equality decides, and an equal write keeps the stored reference`() {
        let first = Box(1)
        let flow = MutableStateFlow(first, areEquivalent: { $0.number == $1.number })
        flow.value = Box(1)
        #expect(flow.value === first)
        let second = Box(2)
        flow.value = second
        #expect(flow.value === second)
    }

    // A5
    @Test func `nil is a value, not the lack of one`() async {
        let flow = MutableStateFlow<Int?>(nil)
        var values = flow.values(.lossless).makeAsyncIterator()
        flow.value = 1
        flow.value = nil
        #expect(await values.next() == .some(nil))
        #expect(await values.next() == .some(1))
        #expect(await values.next() == .some(nil))
    }

    // A6
    @Test func `there and back before the collector runs: conflated sees nothing new, lossless sees both`() async {
        let flow = MutableStateFlow(0)
        var conflated = flow.values(.conflated).makeAsyncIterator()
        var lossless = flow.values(.lossless).makeAsyncIterator()
        #expect(await conflated.next() == 0)
        #expect(await lossless.next() == 0)
        flow.value = 1
        flow.value = 0
        #expect(await lossless.next() == 1)
        #expect(await lossless.next() == 0)
        flow.finish()
        #expect(await conflated.next() == nil)
        #expect(conflated.end == .finished)
    }

    // A7
    @Test func `writing NaN over NaN is a change under ==, and none under a bitwise closure`() {
        let plain = MutableStateFlow(Double.nan)
        let bitwise = MutableStateFlow(Double.nan, areEquivalent: { $0.bitPattern == $1.bitPattern })
        let plainSeen = Seen<Double>()
        let bitwiseSeen = Seen<Double>()
        let subscriptions = [
            plain.subscribe(.lossless) { plainSeen.add($0) }, bitwise.subscribe(.lossless) { bitwiseSeen.add($0) },
        ]
        plain.value = .nan
        bitwise.value = .nan
        #expect(plainSeen.all.count == 2)
        #expect(bitwiseSeen.all.count == 1)
        for subscription in subscriptions { subscription.cancel() }
    }

    // A8
    @Test func `an equality that reads the flow does not deadlock`() {
        let holder = Locked<MutableStateFlow<Int>?>(nil)
        let flow = MutableStateFlow(0) { old, new in
            let current = holder.withLock { $0 }?.value
            return current == new && old == new
        }
        holder.withLock { $0 = flow }
        flow.value = 1
        flow.update { $0 + 1 }
        flow.mutate { $0 += 1 }
        #expect(flow.compareAndSet(expect: 3, update: 4))
        #expect(flow.value == 4)
        holder.withLock { $0 = nil }
    }

    // A8
    @Test func `an equality that takes its time holds up nobody who reads`() async {
        let isInside = MutableStateFlow(false)
        let mayLeave = MutableStateFlow(false)
        let flow = MutableStateFlow("a") { old, new in
            isInside.value = true
            while !mayLeave.value {}
            return old == new
        }
        async let writing: Void = onThreads(1) { _ in flow.value = "b" }
        _ = await isInside.first { $0 }
        let read = Seen<String>()
        #expect(await soon { await onThreads(1) { _ in read.add(flow.value) } } != nil)
        #expect(read.all == ["a"])
        mayLeave.value = true
        await writing
        #expect(flow.value == "b")
    }

    // A2
    @Test func `what is read back is what was set, of values of any size`() {
        enum Light: Equatable, Sendable { case red, green }
        struct Pair: Equatable, Sendable { var first: Int32, second: Int32 }
        func readsBack<Value: Equatable & Sendable>(_ first: Value, _ second: Value) -> Bool {
            let flow = MutableStateFlow(first)
            guard flow.value == first else { return false }
            flow.value = second
            guard flow.value == second, flow.asStateFlow().value == second else { return false }
            flow.update { _ in first }
            guard flow.value == first else { return false }
            flow.mutate { $0 = second }
            guard flow.value == second, flow.compareAndSet(expect: second, update: first), flow.value == first else {
                return false
            }
            return flow.seal(with: second) && flow.value == second
        }
        #expect(readsBack(Light.red, .green))
        #expect(readsBack(UInt8(1), 255))
        #expect(readsBack(Pair(first: 1, second: -1), Pair(first: -2, second: 2)))
        #expect(readsBack(Int.min, .max))
        #expect(readsBack(Int?.none, 7))
        #expect(readsBack([1], [1, 2]))
        #expect(readsBack("a", "b"))
    }
}
