import Testing
import WeirBoards
import WeirStates

@testable import WeirWeb

@Suite(.timeLimit(.minutes(15)))
struct BadgeTests {
    @Test func `a badge says how the newest run of an operation stands`() async throws {
        try await TestServer.run { server in
            let before = try await server.ask("GET", "/operations/steps/badge.svg")
            #expect(before.status == 200 && before["content-type"] == "image/svg+xml")
            #expect(before["cache-control"] == "no-cache" && before.text.hasPrefix("<svg "))
            let run = try await server.start().run
            _ = try await server.board.cancel(run, actor: "test")
            let after = try await server.ask("GET", "/operations/steps/badge.svg")
            #expect(after.text != before.text && after.text.contains("class=\"warn\""))
            // Who has it gets it again only once it has changed.
            let tag = try #require(after["etag"])
            let same = try await server.ask("GET", "/operations/steps/badge.svg", headers: ["If-None-Match: \(tag)"])
            #expect(same.status == 304 && same["etag"] == tag && before["etag"] != tag)
            #expect(try await server.ask("GET", "/operations/nothing/badge.svg").status == 404)
        }
    }
}
