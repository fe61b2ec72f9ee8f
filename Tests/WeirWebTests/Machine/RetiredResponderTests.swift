import Testing
import TestSupport
import WeirBoards
import WeirJournals

@testable import WeirWeb

/// Whoever comes to wait in the moment in which another catalog takes the place of the one they know.
@Suite(.timeLimit(.minutes(15)))
struct RetiredResponderTests {
    @Test func `one who comes too late to be let go is let go all the same, and counted no more than before`()
        async throws
    {
        try await TestServer.run { server in
            let responder = server.dashboard.everything.pollResponder
            responder.retire()
            let head = server.board.feed.head(of: .board)
            let outcome = await soon { await responder.wait(for: .board, after: head, atMost: 60_000, right: nil) }
            #expect(outcome == .interrupted)
            #expect(server.dashboard.held == 0)
            #expect(responder.holds.count == 0)
        }
    }
}
