import Testing
import WeirBoards
import WeirStates

@testable import WeirWeb

@Suite(.timeLimit(.minutes(15)))
struct OwnRunsTests {
    @Test func `a list of the reader's runs has those under the reader's name, on pages, in exports and in the API`()
        async throws
    {
        try await TestServer.run { server in
            let ana = try await server.board.start("steps", input: ["label": "a"], actor: "Ana").run
            let ben = try await server.board.start("steps", input: ["label": "b"], actor: "Ben").run
            let started = try await server.ask(
                "POST", "/api/v1/operations/steps/runs", headers: ["Content-Type: application/json"],
                body: #"{"label":"c"}"#)
            let api = try #require(try started.json()["id"]?.string)
            for _ in 0..<3 { server.gate.finish() }
            for run in [ana, ben, api] { await server.board.outcome(of: run) }
            let found = { @Sendable (text: String) in [ana, ben, api].filter { text.contains($0) } }
            let browser = ["Accept: text/html", "Cookie: weir-name=Ana"]
            #expect(try await found(server.ask("GET", "/runs?actor=me", headers: browser).text) == [ana])
            #expect(
                try await found(server.ask("GET", "/runs/export?actor=me&format=csv", headers: browser).text) == [ana])
            #expect(
                try await found(server.ask("GET", "/runs/change?change=retry&all=1&actor=me", headers: browser).text)
                    == [ana])
            #expect(try await found(server.ask("GET", "/api/v1/runs?actor=me").text) == [api])
            let page = try await server.ask("GET", "/runs?phase=failed", headers: browser).text
            #expect(page.contains("href=\"/runs?phase=failed&amp;actor=me\""))
        }
    }
}
