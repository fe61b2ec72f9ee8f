import Testing
import TestSupport
import WeirFlows
import WeirOperations
import WeirStandard

@testable import WeirFiles

/// How often a feed asks while its server fails.
@Suite(.timeLimit(.minutes(15)))
struct FeedPauseTests {
    /// Tells each pause between two requests, which ends at once; what limits a request takes for ever.
    private struct PauseClock: Clock {
        let limit: Duration
        let pauses = AsyncStream.makeStream(of: Duration.self)
        private let still = VirtualClock()

        init(limit: Duration) { self.limit = limit }

        var now: VirtualClock.Instant { still.now }
        var minimumResolution: Duration { still.minimumResolution }

        func sleep(until deadline: VirtualClock.Instant, tolerance: Duration?) async throws {
            let duration = still.now.duration(to: deadline)
            if duration == limit { try await still.sleep(until: deadline) }
            try Task.checkCancellation()
            pauses.continuation.yield(duration)
        }
    }

    @Test func `a feed whose server fails is asked after a time that doubles up to a minute, and then as declared`()
        async throws
    {
        let count = Locked(0)
        let server = try await RequestListener { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return number <= 3
                ? RequestListener.http("500 Internal Server Error", "{}") : RequestListener.http("200 OK", "{}")
        }
        let (read, mistakes) = DefinitionReader.read(
            "{title: T, type: feed, url: \"\(server.url)/\", every: 31s}", id: "t", file: "t.yml")
        #expect(mistakes == [])
        let (definition, clock) = (try #require(read), PauseClock(limit: .seconds(30)))
        let environment = OperationEnvironment(
            clock: clock, random: { 1 },
            outgoing: OutgoingPolicy(allowing: ["127.0.0.0/8"].compactMap(OutgoingAllowance.init)))
        let feed = try #require(FeedOperation(definition, in: environment))
        let run = try OperationRunner(feed).start(CommandInput([:]))
        var pauses: [Duration] = []
        for await pause in clock.pauses.stream.prefix(4) { pauses.append(pause) }
        run.cancel(.actor("the test"))
        _ = await run.outcome()
        #expect(pauses == [.seconds(31), .seconds(60), .seconds(60), .seconds(31)])
    }
}
