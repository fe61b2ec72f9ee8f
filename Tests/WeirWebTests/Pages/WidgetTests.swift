import Testing
import WeirBoards
import WeirJournals
import WeirStates

@testable import WeirWeb

@Suite(.timeLimit(.minutes(15)))
struct WidgetTests {
    private func policy(_ answer: RawResponse) -> [Substring] {
        (answer["content-security-policy"] ?? "").split(separator: "; ")
    }

    @Test func `a widget shows how an operation or a run stands, and nothing can be done on it`() async throws {
        try await TestServer.run { server in
            let never = try await server.ask("GET", "/widgets/operations/steps")
            #expect(never.status == 200 && never.text.contains("data-after=\"/widgets/operations/steps/after/"))
            let run = try await server.start("World").run
            for path in ["operations/steps", "runs/\(run)"] {
                let answer = try await server.ask("GET", "/widgets/\(path)")
                #expect(answer.status == 200 && answer["content-type"] == "text/html; charset=utf-8")
                #expect(answer.text.contains("href=\"/\(path)\" target=\"_blank\" rel=\"noopener\""))
                #expect(!answer.text.contains("<form") && !answer.text.contains("<button"))
            }
            #expect(try await server.ask("GET", "/widgets/operations/nothing").status == 404)
            #expect(try await server.ask("GET", "/widgets/runs/nothing").status == 404)
            #expect(try await server.ask("GET", "/widgets/stores/bell").status == 404)
            #expect(try await server.ask("GET", "/widgets/operations/steps/after/x").status == 400)
            server.gate.finish()
        }
    }

    @Test func `the widget that follows comes with the next change, and the last one leads no further`() async throws {
        try await TestServer.run { server in
            let run = try await server.start("World").run
            let connection = try await server.connect()
            let head = server.board.feed.head(of: .run(run))
            try await connection.send("GET", "/widgets/runs/\(run)/after/\(server.board.epoch).\(head)")
            try await server.untilHeld(1)
            _ = try await server.board.cancel(run, actor: "test")
            let next = try await connection.response()
            #expect(next.status == 200 && next.text.contains("card run warn") && !next.text.contains("data-after"))
            await connection.close()
        }
    }

    @Test func `only the sites that the configuration names may show widgets and badges`() async throws {
        let paths = ["/widgets/operations/steps", "/operations/steps/badge.svg", "/widgets/runs/nothing"]
        try await TestServer.run { server in
            for path in paths {
                let answer = try await server.ask("GET", path, headers: ["Accept: text/html, */*"])
                #expect(answer["cross-origin-resource-policy"] == "same-origin", "\(path)")
                if !path.hasSuffix("svg") { #expect(policy(answer).contains("frame-ancestors 'none'"), "\(path)") }
            }
        }
        var configuration = WebConfiguration()
        configuration.frameAncestors = ["https://wiki.example.com", "https://*.example.org:8443"]
            .compactMap(FrameAncestor.init)
        try await TestServer.run(configuration: configuration) { server in
            let allowed = "frame-ancestors https://wiki.example.com https://*.example.org:8443"
            for path in paths {
                let answer = try await server.ask("GET", path, headers: ["Accept: text/html, */*"])
                #expect(answer["cross-origin-resource-policy"] == "cross-origin", "\(path)")
                if !path.hasSuffix("svg") { #expect(policy(answer).contains(allowed[...]), "\(path)") }
            }
            for path in ["/", "/operations/steps", "/runs"] {
                let answer = try await server.ask("GET", path)
                #expect(answer["content-security-policy"] == SecurityHeaders.policy, "\(path)")
                #expect(answer["cross-origin-resource-policy"] == "same-origin", "\(path)")
            }
        }
    }

    @Test(arguments: [
        "", "*", "https://", "wiki.example.com", "ftp://a.b", "https://a.b/", "https://a.b/c", "https://a b",
        "https://a.b; script-src *", "https://a..b", "https://-a.b", "https://a.b:0", "https://a.b:65536", "https://*",
        "https://a.*.b", "https://ä.b", "'self'",
    ])
    func `what is not the origin of a site is refused`(text: String) {
        #expect(FrameAncestor(text) == nil)
    }

    @Test(arguments: ["https://a.b", "http://localhost:3000", "https://*.a.b", "HTTPS://Wiki.Example.com"])
    func `the origin of a site is accepted`(text: String) {
        #expect(FrameAncestor(text)?.origin == text.lowercased())
    }

    @Test func `the origin of a site has at most 300 characters`() {
        let label = String(repeating: "a", count: 63) + "."
        let longest = "https://" + String(repeating: label, count: 4) + String(repeating: "b", count: 36)
        #expect(FrameAncestor(longest)?.origin == longest)
        #expect(FrameAncestor(longest + "b") == nil)
    }
}
