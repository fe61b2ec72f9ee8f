import Testing
import WeirBoards
import WeirJournals
import WeirStates

@testable import WeirWeb

/// The overview as its reader has arranged it, in its address and a cookie.
@Suite(.timeLimit(.minutes(15)))
struct ArrangementRouteTests {
    private static let html = "Accept: text/html"
    private static let form = "Content-Type: application/x-www-form-urlencoded"

    private func cards(_ html: some StringProtocol) -> [String] {
        html.split(separator: "<article ").dropFirst().compactMap { piece in
            piece.firstRange(of: "id=\"op-").map { String(piece[$0.upperBound...].prefix { $0 != "\"" }) }
        }
    }

    @Test func `an address arranges the overview, also after the next change, and in a snapshot`() async throws {
        try await TestServer.run { server in
            let page = try await server.ask("GET", "/?sort=name&density=compact", headers: [Self.html])
            #expect(cards(page.text) == ["keep", "steps"])
            #expect(page.text.contains("class=\"grid compact\""))
            let after = "/after/\(server.board.epoch).0?sort=name&amp;density=compact"
            #expect(page.text.contains(after))
            _ = try await server.start("x")
            let next = try await server.ask(
                "GET", after.replacing("&amp;", with: "&"), headers: [Self.html])
            #expect(cards(next.text) == ["keep", "steps"])
            let snap = try await server.ask("GET", "/live/1/board/snap?text=keep").json()
            #expect(snap["html"]?.string?.contains("data-query=\"?text=keep\"") == true)
        }
    }

    @Test func `a pin is kept in a cookie, leads back, and is taken away again`() async throws {
        try await TestServer.run { server in
            func toggle(_ id: String, cookie: String) async throws -> RawResponse {
                try await server.ask(
                    "POST", "/pins",
                    headers: [
                        Self.html, Self.form, "Cookie: weir-pins=\(cookie)", "Referer: http://127.0.0.1/?sort=name",
                    ], body: "pin=\(id)")
            }
            let pinned = try await toggle("steps", cookie: "")
            #expect(pinned.status == 303)
            #expect(pinned["location"] == "/?sort=name")
            #expect(pinned["set-cookie"]?.hasPrefix("weir-pins=steps;") == true)
            let page = try await server.ask("GET", "/?sort=name", headers: [Self.html, "Cookie: weir-pins=steps"])
            #expect(cards(page.text) == ["steps", "keep"])
            #expect(page["etag"] == nil, "what one browser has pinned is kept for nobody")
            let snap = try await server.ask("GET", "/live/1/board/snap", headers: ["Cookie: weir-pins=steps"])
            #expect(snap["cache-control"] == "private, no-store")
            let freed = try await toggle("steps", cookie: "steps")
            #expect(freed["set-cookie"]?.contains("Max-Age=0") == true)
            #expect(try await toggle("nothing", cookie: "").status == 404)
            #expect(try await toggle("gone", cookie: "gone.steps")["set-cookie"]?.hasPrefix("weir-pins=steps;") == true)
            let many = (0..<50).map { "a\($0)" }.joined(separator: ".")
            let full = try await toggle("steps", cookie: many)
            #expect(full.status == 400)
            #expect(full.text.contains("At most 50 operations can be pinned."))
        }
    }

    @Test func `what one browser asks for takes no room from the pages of all`() async throws {
        try await TestServer.run { server in
            let tag = try await server.ask("GET", "/?sort=change", headers: [Self.html])["etag"]
            #expect(tag != nil)
            #expect(try await server.ask("GET", "/?text=a", headers: [Self.html])["etag"] == nil)
        }
    }

    @Test func `a query on any other live address is refused`() async throws {
        try await TestServer.run(bell: true) { server in
            for path in ["runs/snap?text=a", "store-bell/snap?a=b", "board/\(server.board.epoch)/0/now?text=a"] {
                let answer = try await server.ask("GET", "/live/1/" + path)
                #expect(answer.status >= 400, "\(path)")
            }
        }
    }
}
