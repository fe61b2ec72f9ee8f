import Testing
import TestSupport
import WeirStates

@testable import WeirWeb

/// Whoever comes to wait in the moment in which another catalog takes the place of the one they know.
@Suite(.timeLimit(.minutes(15)))
struct RetiredResponderTests {
    @Test func `a stream's reader who comes too late to be let go is answered at once`() async throws {
        try await TestServer.run { server in
            server.dashboard.everything.pollResponder.retire()
            let answer = try await server.ask("GET", "/api/v1/streams/board?offset=now&live=long-poll")
            #expect([200, 204].contains(answer.status))
            #expect(server.dashboard.held == 0)
        }
    }

    @Test func `a page that comes too late to be let go is let go all the same, and counted no more than before`()
        async throws
    {
        try await TestServer.run { server in
            let responder = server.dashboard.everything.pollResponder
            responder.retire()
            let tail = try server.tail()
            #expect(try await server.ask("GET", tail).json()["k"] == "empty")
            #expect(server.dashboard.held == 0)
            #expect(responder.holds.count == 0)
        }
    }
}
