import Testing
@testable import WeirFlows

@Suite(.timeLimit(.minutes(15))) struct DeliveryTests {
    // D1
    @Test func `a slow conflated collector skips but ends on the last`() async {
        let flow = MutableStateFlow(0)
        var values = flow.values(.conflated).makeAsyncIterator()
        #expect(await values.next() == 0)
        for value in 1...100 { flow.value = value }
        #expect(await values.next() == 100)
    }

    // D2
    @Test func `a lossless collector sees every state in order, even ten thousand behind`() async {
        let flow = MutableStateFlow(0)
        let values = flow.values(.lossless)
        var iterator = values.makeAsyncIterator()
        for value in 1...10_000 { flow.value = value }
        flow.finish()
        var seen: [Int] = []
        while let value = await iterator.next() { seen.append(value) }
        #expect(seen == Array(0...10_000))
    }

    // D3
    @Test func `two lossless collectors share one log, which shrinks as the slower one reads`() async {
        let alive = MutableStateFlow(0)
        let flow = MutableStateFlow(Tracked(0, alive), areEquivalent: { _, _ in false })
        var fast = flow.values(.lossless).makeAsyncIterator()
        var slow = flow.values(.lossless).makeAsyncIterator()
        for number in 1..<1_000 { flow.value = Tracked(number, alive) }
        #expect(flow.storage.backlog.count == 1_000)
        for number in 0..<1_000 { #expect(await fast.next()?.number == number) }
        #expect(flow.storage.backlog.count == 1_000)
        #expect(alive.value == 1_000)
        for number in 0..<1_000 { #expect(await slow.next()?.number == number) }
        #expect(flow.storage.backlog == (0, 64))
        #expect(alive.value == 1)
    }

    // D4
    @Test func `cancelling the slowest frees its backlog at once`() {
        let alive = MutableStateFlow(0)
        let flow = MutableStateFlow(Tracked(0, alive), areEquivalent: { _, _ in false })
        let seen = MutableStateFlow(0)
        let fast = flow.subscribe(.lossless) { _ in seen.update { $0 + 1 } }
        var slow: StateValues<Tracked>.Iterator? = flow.values(.lossless).makeAsyncIterator()
        for number in 1..<1_000 { flow.value = Tracked(number, alive) }
        #expect(alive.value == 1_000)
        #expect(seen.value == 1_000)
        withExtendedLifetime(slow) {}
        slow = nil
        #expect(alive.value == 1)
        fast.cancel()
    }

    // D5
    @Test func `a bounded buffer keeps exactly so many, the oldest or the newest`() async {
        let flow = MutableStateFlow(0)
        var latest = flow.values(.buffered(3, onOverflow: .dropOldest)).makeAsyncIterator()
        var earliest = flow.values(.buffered(3, onOverflow: .dropNewest)).makeAsyncIterator()
        for value in 1...9 { flow.value = value }
        flow.finish()
        for expected in [7, 8, 9] { #expect(await latest.next() == expected) }
        #expect(await latest.next() == nil)
        for expected in [0, 1, 2] { #expect(await earliest.next() == expected) }
        #expect(await earliest.next() == nil)
    }

    // D5
    @Test func `a buffer that must not overflow ends that subscriber only, with the count dropped`() async {
        let flow = MutableStateFlow(0)
        var strict = flow.values(.buffered(2, onOverflow: .fail)).makeAsyncIterator()
        var other = flow.values(.lossless).makeAsyncIterator()
        for value in 1...5 { flow.value = value }
        #expect(await strict.next() == 0)
        #expect(await strict.next() == 1)
        #expect(await strict.next() == nil)
        #expect(strict.end == .overflowed(dropped: 4))
        for expected in 0...5 { #expect(await other.next() == expected) }
        #expect(flow.subscriptionCount.value == 1)
    }

    // D6
    @Test(arguments: [DeliveryPolicy.lossless, .buffered(10, onOverflow: .fail)])
    func `replay gives the last ones, then goes on without gap or repeat`(policy: DeliveryPolicy) async {
        let flow = MutableStateFlow(0, replay: 3)
        var early = flow.values(policy).makeAsyncIterator()
        for value in 1...5 { flow.value = value }
        var late = flow.values(policy).makeAsyncIterator()
        flow.value = 6
        flow.finish()
        for expected in 0...6 { #expect(await early.next() == expected) }
        for expected in 3...6 { #expect(await late.next() == expected) }
        #expect(await late.next() == nil)
        var conflated = flow.values(.conflated).makeAsyncIterator()
        #expect(await conflated.next() == 6)
        #expect(flow.storage.backlog.count == 3)
    }

    // D7
    @Test func `a setter is not held up by a subscriber that is busy on another thread`() async {
        let flow = MutableStateFlow(0)
        let isInside = MutableStateFlow(false)
        let mayLeave = MutableStateFlow(false)
        let seen = Seen<Int>()
        let subscription = flow.subscribe(.lossless) { value in
            seen.add(value)
            guard value == 1 else { return }
            isInside.value = true
            while !mayLeave.value {}
        }
        await onThreads(2) { number in
            if number == 0 {
                flow.value = 1
            } else {
                while !isInside.value {}
                for value in 2...100 { flow.value = value }  // returns although the subscriber is stuck
                mayLeave.value = true
            }
        }
        #expect(seen.all == Array(0...100))
        subscription.cancel()
    }
}
