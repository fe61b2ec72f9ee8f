import Testing
import WeirFlows

@Suite(.timeLimit(.minutes(15))) struct SubscriptionCountTests {
    struct Broken: Error {}

    // E1
    @Test func `the count is never conflated`() async {
        let flow = MutableStateFlow(0)
        let counts = Seen<Int>()
        let subscription = flow.subscriptionCount.subscribe(.lossless) { counts.add($0) }
        let first = flow.subscribe(.conflated) { _ in }
        let second = flow.subscribe(.lossless) { _ in }
        second.cancel()
        first.cancel()
        #expect(counts.all == [0, 1, 2, 1, 0])
        subscription.cancel()
    }

    // E1
    @Test func `counts from many threads have the order of the comings and goings`() async {
        let flow = MutableStateFlow(0)
        let counts = Seen<Int>()
        let subscription = flow.subscriptionCount.subscribe(.lossless) { counts.add($0) }
        await onThreads(4) { _ in
            for _ in 0..<200 { flow.subscribe(.conflated) { _ in }.cancel() }
        }
        let steps = zip(counts.all, counts.all.dropFirst()).map { abs($1 - $0) }
        #expect(steps == Array(repeating: 1, count: 1_600))
        #expect(counts.all.last == 0)
        subscription.cancel()
    }

    // E2
    @Test func `throwing or breaking out of the loop takes one off the count`() async {
        let flow = MutableStateFlow(0)
        await #expect(throws: Broken.self) { try await flow.collect { _ in throw Broken() } }
        #expect(flow.subscriptionCount.value == 0)
        for await _ in flow.values(.lossless) { break }
        #expect(flow.subscriptionCount.value == 0)
    }

    // E3
    @Test func `by its first suspension a collector is registered`() async {
        let flow = MutableStateFlow(0)
        var values = flow.values(.lossless).makeAsyncIterator()
        #expect(flow.subscriptionCount.value == 1)
        flow.value = 1
        #expect(await values.next() == 0)
        #expect(await values.next() == 1)
    }
}
