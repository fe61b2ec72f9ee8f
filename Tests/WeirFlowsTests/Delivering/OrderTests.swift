import Testing
import TestSupport
import WeirFlows

@Suite(.timeLimit(.minutes(15))) struct OrderTests {
    private static let policies: [DeliveryPolicy] = [.conflated, .lossless, .buffered(3, onOverflow: .dropOldest)]

    // C1
    @Test(arguments: [(1, 1), (10, 10)])
    func `every subscriber sees versions strictly increasing, and the last`(writers: Int, readers: Int) async {
        let flow = MutableStateFlow(0)
        let last = writers * 1_000
        let misordered = MutableStateFlow(0)
        async let writing: Void = {
            await onThreads(writers) { _ in for _ in 0..<1_000 { flow.update { $0 + 1 } } }
            // Whoever missed the last value is let go by this, and found out by the test below.
            flow.finish()
        }()
        await withTaskGroup { group in
            for reader in 0..<readers {
                group.addTask {
                    var random = SeededGenerator(seed: UInt64(reader))
                    var seen = -1
                    while seen < last {
                        // Leaves now and then, and comes again.
                        var left = Int.random(in: 1...200, using: &random)
                        for await value in flow.values(Self.policies[reader % 3]) {
                            if value < seen { misordered.update { $0 + 1 } }
                            seen = value
                            left -= 1
                            if left == 0 || seen == last { break }
                        }
                    }
                }
            }
        }
        await writing
        #expect(misordered.value == 0)
        #expect(flow.subscriptionCount.value == 0)
    }

    // C2
    @Test func `the final value always arrives after the writers stop`() async {
        for round in 0..<200 {
            let flow = MutableStateFlow(-1)
            async let last = flow.first { $0 == round }
            await onThreads(1) { _ in for value in 0...round { flow.value = value } }
            // A flow that ends gives what is pending, and then lets go of whoever would wait for ever.
            flow.finish()
            #expect(await last == round)
        }
    }

    // C3
    @Test func `with concurrent setters all subscribers agree on the order`() async {
        let flow = MutableStateFlow(0)
        let seen = (0..<3).map { _ in Seen<Int>() }
        let subscriptions = seen.map { seen in flow.subscribe(.lossless) { seen.add($0) } }
        async let pulled = flow.values(.lossless).reduce(into: [Int]()) { $0.append($1) }
        _ = await flow.subscriptionCount.first { $0 == 4 }
        await onThreads(3) { writer in
            for step in 1...300 { flow.value = writer * 1_000 + step }
        }
        flow.finish()
        let expected = await pulled
        #expect(expected.count == 901)
        for seen in seen { #expect(seen.all == expected) }
        for subscription in subscriptions { subscription.cancel() }
    }

    // C4
    @Test func `a callback subscriber never runs on two threads at once`() async {
        let flow = MutableStateFlow(0)
        let inside = MutableStateFlow(0)
        let overlaps = MutableStateFlow(0)
        let subscriptions = Self.policies.map { policy in
            let inside = MutableStateFlow(0)
            return flow.subscribe(policy) { _ in
                if inside.update({ $0 + 1 }).new != 1 { overlaps.update { $0 + 1 } }
                inside.update { $0 - 1 }
            }
        }
        await onThreads(4) { _ in for _ in 0..<500 { flow.update { $0 + 1 } } }
        #expect(overlaps.value == 0)
        #expect(inside.value == 0)
        for subscription in subscriptions { subscription.cancel() }
    }

    // C5
    @Test func `a value set from within a callback is delivered after the current delivery`() {
        let flow = MutableStateFlow(0)
        let trace = Seen<String>()
        let first = flow.subscribe(.lossless) { value in
            trace.add("begin \(value)")
            if value > 0, value < 4 { flow.value = value + 1 }
            trace.add("end \(value)")
        }
        let other = Seen<Int>()
        let second = flow.subscribe(.lossless) { other.add($0) }
        flow.value = 1
        let expected: [String] = (0...4).flatMap { ["begin \($0)", "end \($0)"] }
        #expect(trace.all == expected)
        #expect(other.all == [0, 1, 2, 3, 4])
        first.cancel()
        second.cancel()
    }

    // C5
    @Test func `a long chain of values set from within callbacks does not grow the stack`() {
        let flow = MutableStateFlow(0)
        let subscription = flow.subscribe(.conflated) { if $0 < 100_000 { flow.value = $0 + 1 } }
        #expect(flow.value == 100_000)
        subscription.cancel()
    }

    // C6
    @Test func `a value set while somebody subscribes is not lost`() async {
        for round in 1...300 {
            let flow = MutableStateFlow(0)
            async let seen = flow.first { $0 == round }
            async let writing: Void = onThreads(1) { _ in
                flow.value = round
                flow.finish()
            }
            #expect(await seen == round)
            await writing
        }
    }
}
