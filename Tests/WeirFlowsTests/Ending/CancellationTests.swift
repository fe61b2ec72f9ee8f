import Testing
import TestSupport

@testable import WeirFlows

@Suite(.timeLimit(.minutes(15))) struct CancellationTests {
    // F1
    @Test func `cancelling the collecting task ends the loop with no further value, even if one waits`() async {
        let flow = MutableStateFlow(0)
        let seen = Seen<Int>()
        let task = Task {
            for await value in flow.values(.lossless) {
                seen.add(value)
                flow.value = 1
                withUnsafeCurrentTask { $0?.cancel() }
            }
        }
        await task.value
        #expect(seen.all == [0])
        #expect(flow.subscriptionCount.value == 0)
    }

    // F1
    @Test func `a collector that waits is let go by cancelling its task`() async {
        let flow = MutableStateFlow(0)
        let task = Task { await flow.collect { _ in } }
        _ = await flow.subscriptionCount.first { $0 == 1 }
        task.cancel()
        #expect(await soon { await task.value } == .cancelled)
        #expect(flow.subscriptionCount.value == 0)
    }

    // F2
    @Test func `breaking out of the loop, and dropping the iterator, free the place`() async {
        let flow = MutableStateFlow(0)
        for await _ in flow { break }
        #expect(flow.subscriptionCount.value == 0)
        var values: StateValues<Int>.Iterator? = flow.makeAsyncIterator()
        #expect(await values?.next() == 0)
        #expect(flow.subscriptionCount.value == 1)
        values = nil
        #expect(flow.subscriptionCount.value == 0)
    }

    // F2
    @Test func `an iterator dropped in the middle of a wait frees its place, with no value to end the wait`()
        async throws
    {
        let flow = MutableStateFlow(0)
        do {
            // Left without asking for its outcome, which is how a task that waits is dropped.
            async let _ = {
                var values = flow.makeAsyncIterator()
                _ = await values.next()
                return await values.next()
            }()
            try await until { flow.storage.waiting > 0 }
            #expect(flow.subscriptionCount.value == 1)
        }
        #expect(flow.storage.waiting == 0)
        #expect(flow.subscriptionCount.value == 0)
    }

    // F2
    @Test func `a subscription dropped in the middle of a wait frees its place, and its task ends`() async throws {
        let flow = MutableStateFlow(0)
        let subscriber = flow.values(.conflated).makeSubscriber()
        #expect(subscriber.nextIfAny() == 0)
        var subscription: FlowSubscription? = FlowSubscription(subscriber)
        async let next = subscriber.next(isolation: nil)
        try await until { flow.storage.waiting > 0 }
        withExtendedLifetime(subscription) {}
        subscription = nil
        #expect(flow.storage.waiting == 0)
        #expect(flow.subscriptionCount.value == 0)
        #expect(await next == nil)
    }

    @Test func `a reader whose place is freed twice frees it once`() {
        let flow = MutableStateFlow(0)
        let (first, second) = (flow.values(.lossless).makeSubscriber(), flow.values(.lossless).makeSubscriber())
        var wake = FlowMachine<Int>.Wake()
        let times = [flow.storage.machine.leave(first, &wake), flow.storage.machine.leave(first, &wake)]
        #expect(times == [true, false])
        withExtendedLifetime(second) { #expect(flow.subscriptionCount.value == 1) }
    }

    // F3
    @Test func `cancel racing a set, many times: no leak and no double resume`() async {
        let flow = MutableStateFlow(0)
        let stop = MutableStateFlow(false)
        async let writing: Void = onThreads(1) { _ in while !stop.value { flow.update { $0 &+ 1 } } }
        for _ in 0..<100 {
            await withTaskGroup { group in
                for number in 0..<1_000 {
                    group.addTask { await flow.collect(number.isMultiple(of: 2) ? .conflated : .lossless) { _ in } }
                }
                group.cancelAll()
                for await end in group { #expect(end == .cancelled) }
            }
        }
        stop.value = true
        await writing
        #expect(flow.subscriptionCount.value == 0)
        #expect(flow.storage.backlog.count == 0)
    }

    // F4
    @Test func `a task that is cancelled already returns at once`() async {
        let flow = MutableStateFlow(0)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            let end = await flow.collect { _ in Issue.record("no value may come") }
            var values = flow.makeAsyncIterator()
            let value = await values.next()
            return (end, value, await flow.first { _ in true })
        }
        let (end, value, first) = await task.value
        #expect(end == .cancelled)
        #expect(value == nil)
        #expect(first == nil)
    }

    // F7
    @Test func `a subscriber that holds a value and never asks again is freed by cancelling its task`() async {
        let flow = MutableStateFlow(0)
        let holds = Signal()
        let go = MutableStateFlow(false)
        let task = Task {
            await flow.collect(.lossless) { _ in
                holds.happen()
                // Does not look for its cancellation.
                await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
                    Task.detached {
                        _ = await go.first { $0 }
                        continuation.resume()
                    }
                }
            }
        }
        await holds.wait()
        flow.value = 1
        #expect(flow.storage.backlog.count == 1)
        task.cancel()
        _ = await flow.subscriptionCount.first { $0 == 0 }
        #expect(flow.storage.backlog.count == 0)
        go.value = true
        #expect(await task.value == .cancelled)
    }

    @Test func `after a cancel no callback begins, and what it holds is let go`() {
        let flow = MutableStateFlow(0)
        let alive = MutableStateFlow(0)
        let seen = Seen<Int>()
        let subscription: FlowSubscription
        do {
            let held = Tracked(1, alive)
            subscription = flow.subscribe(.lossless) {
                seen.add($0 + held.number)
            } onEnd: { _ in
                Issue.record("a cancelled subscriber hears of no end")
            }
        }
        flow.value = 1
        #expect(alive.value == 1)
        subscription.cancel()
        #expect(alive.value == 0)
        flow.value = 2
        flow.finish()
        subscription.cancel()
        #expect(seen.all == [1, 2])
    }

    @Test func `a subscription ends when it goes, and from within its own callback`() {
        let flow = MutableStateFlow(0)
        var subscription: FlowSubscription? = flow.subscribe(.conflated) { _ in }
        #expect(flow.subscriptionCount.value == 1)
        withExtendedLifetime(subscription) {}
        subscription = nil
        #expect(flow.subscriptionCount.value == 0)
        let seen = Seen<Int>()
        let own = Locked<FlowSubscription?>(nil)
        let first = flow.subscribe(.lossless) { value in
            seen.add(value)
            if value == 1 { own.withLock { $0 }?.cancel() }
        }
        own.withLock { $0 = first }
        flow.value = 1
        flow.value = 2
        #expect(seen.all == [0, 1])
        own.withLock { $0 = nil }
    }
}
