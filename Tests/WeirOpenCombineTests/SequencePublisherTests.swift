import Testing
import WeirFlows
import WeirOpenCombine

#if canImport(Combine)
    import Combine
#else
    import OpenCombine
#endif

@Suite(.timeLimit(.minutes(15))) struct SequencePublisherTests {
    struct Broken: Error {}

    /// The positions of a feed that may break off.
    struct Feed: AsyncSequence, Sendable {
        typealias Element = Int
        typealias Failure = any Error

        let count: Int
        let fails: Bool
        let asked = MutableStateFlow(0)

        struct AsyncIterator: AsyncIteratorProtocol {
            let feed: Feed

            mutating func next() async throws -> Int? {
                let number = feed.asked.update { $0 + 1 }.new
                if number <= feed.count { return number }
                if feed.fails { throw Broken() }
                return nil
            }
        }

        func makeAsyncIterator() -> AsyncIterator { AsyncIterator(feed: self) }
    }

    // H3
    @Test func `a throw gives only failure, an end only finished`() async {
        for fails in [true, false] {
            let scope = FlowScope()
            let subscriber = ManualSubscriber<Int, any Error>()
            Feed(count: 2, fails: fails).publisher(in: scope).subscribe(subscriber)
            subscriber.request(.unlimited)
            await scope.join()
            #expect(subscriber.events == ["subscription", "1", "2", fails ? "failure Broken()" : "finished"])
        }
    }

    // H2
    @Test func `an element is asked for only while there is demand`() async {
        let scope = FlowScope()
        let feed = Feed(count: 5, fails: false)
        let subscriber = ManualSubscriber<Int, any Error>()
        feed.publisher(in: scope).subscribe(subscriber)
        subscriber.request(.max(2))
        #expect(await subscriber.events(atLeast: 3) == ["subscription", "1", "2"])
        #expect(feed.asked.value == 2)
        subscriber.request(.max(1))
        #expect(await subscriber.events(atLeast: 4) == ["subscription", "1", "2", "3"])
        subscriber.cancel()
        await scope.join()
        #expect(feed.asked.value == 3)
    }

    // H3
    @Test func `after a cancel there is neither end`() async {
        for cancelsScope in [true, false] {
            let scope = FlowScope()
            let flow = MutableStateFlow(0)
            let subscriber = ManualSubscriber<Int, any Error>()
            flow.values(.lossless).publisher(in: scope).subscribe(subscriber)
            subscriber.request(.unlimited)
            _ = await subscriber.events(atLeast: 2)
            if cancelsScope { scope.cancel() } else { subscriber.cancel() }
            await scope.join()
            #expect(subscriber.events == ["subscription", "0"])
            #expect(flow.subscriptionCount.value == 0)
        }
    }
}
