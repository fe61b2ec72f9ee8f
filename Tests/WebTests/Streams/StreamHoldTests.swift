import Testing

@testable import Web

/// How many readers of streams may wait for news at once.
@Suite(.timeLimit(.minutes(5)))
struct StreamHoldTests {
    private static let tail = "/api/v1/streams/board?offset=now&live=long-poll"

    @Test func `as many wait as may, and one more is asked to come again`() async throws {
        var configuration = WebConfiguration()
        configuration.maximumHolds = 1
        try await TestServer.run(configuration: configuration) { server in
            let first = try await server.connect()
            try await first.send("GET", Self.tail)
            try await server.untilHeld(1)
            let second = try await server.ask("GET", Self.tail)
            #expect(second.status == 503 && second["retry-after"] == "5")
            await first.close()
            try await server.untilHeld(0)
        }
    }
}
