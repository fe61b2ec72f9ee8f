import NIOConcurrencyHelpers
import NIOCore
import Testing
import WeirAccess
import WeirJournals
import WeirPages
import WeirStates

@testable import WeirBoards
@testable import WeirWeb

@Suite(.timeLimit(.minutes(15)))
struct PageCacheTests {
    private static func key(_ sequence: SequenceNumber, rewrites: Int = 0, _ audience: Audience = .init(.everything))
        -> PageCache.Key
    {
        PageCache.Key(
            audience: audience, subject: .live(LivePage(.board), cursor(sequence), rewrites: rewrites, nil),
            frame: PageFrame())
    }

    private static func cursor(_ sequence: SequenceNumber) -> PageCursor {
        PageCursor(epoch: "e", sequence: sequence, next: "n", now: "w", snap: "s", after: nil)
    }

    /// Asks so often at once, and says how many documents were rendered and which bodies came back.
    private static func ask(
        _ cache: PageCache, _ keys: [PageCache.Key], in renderer: PageRenderer, _ board: BoardView
    ) async throws -> (rendered: Int, bodies: Set<ByteBuffer>) {
        let rendered = NIOLockedValueBox(0)
        let bodies = try await withThrowingTaskGroup(of: ByteBuffer.self) { group in
            for key in keys {
                group.addTask {
                    let document = try await cache.document(for: key) {
                        rendered.withLockedValue { $0 += 1 }
                        return renderer.openDocument(.board(board), cursor: cursor(1), frame: key.frame)
                    }
                    return document.filled(for: key.frame)
                }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        return (rendered.withLockedValue { $0 }, bodies)
    }

    @Test func `a page is rendered once, however many ask for it at once and later`() async throws {
        try await TestServer.run { server in
            let (cache, renderer, view) = (PageCache(), server.dashboard.renderer, server.board.view())
            let many = try await Self.ask(cache, Array(repeating: Self.key(1), count: 200), in: renderer, view)
            #expect(many.rendered == 1)
            #expect(many.bodies.count == 1)
            let one = try await Self.ask(cache, [Self.key(1)], in: renderer, view)
            #expect(one.rendered == 0)
        }
    }

    @Test func `what is shown to others, at another change or after a rewrite is rendered apart`() async throws {
        try await TestServer.run { server in
            let keys = [
                Self.key(1), Self.key(2), Self.key(1, rewrites: 1), Self.key(1, Audience(.nothing)),
            ]
            let (renderer, view) = (server.dashboard.renderer, server.board.view())
            let others = try await Self.ask(PageCache(), keys, in: renderer, view)
            #expect(others.rendered == keys.count)
        }
    }

    @Test func `everybody's page has their own name and the time it was asked for`() async throws {
        let clock = ManualClock()
        try await TestServer.run(clock: clock, bell: true) { server in
            let ana = try await server.ask("GET", "/stores", headers: ["X-Weir-Actor: Ana"]).text
            clock.advance(by: 1_000)
            let rui = try await server.ask("GET", "/stores", headers: ["X-Weir-Actor: <Rui>"]).text
            #expect(ana.contains(#"data-name="Ana""#))
            #expect(ana.contains(#"data-clock="2026-09-21T14:13:20.000Z""#))
            #expect(rui.contains(#"data-name="&lt;Rui&gt;""#))
            #expect(!rui.contains("Ana"))
            #expect(rui.contains(#"data-clock="2026-09-21T14:13:21.000Z""#))
        }
    }

    @Test func `a page that looks the same is not sent again, and everybody has their own`() async throws {
        let clock = ManualClock()
        try await TestServer.run(clock: clock, bell: true) { server in
            func ask(_ actor: String, _ tag: String?) async throws -> RawResponse {
                let known = tag.map { ["If-None-Match: " + $0] } ?? []
                return try await server.ask("GET", "/stores/bell", headers: ["X-Weir-Actor: " + actor] + known)
            }
            let first = try await ask("Ana", nil)
            let tag = try #require(first["etag"])
            #expect(tag.hasPrefix("W/"))
            #expect(first["vary"] == "Accept-Encoding, Accept-Language, Cookie")
            clock.advance(by: 1_000)
            let same = try await ask("Ana", tag)
            #expect(same.status == 304)
            #expect(same.body.isEmpty)
            #expect([same["etag"], same["vary"], same["cache-control"]] == [tag, first["vary"], "no-cache"])
            let other = try await ask("Rui", tag)
            #expect(other.status == 200)
            #expect(other["etag"] != tag)
            _ = try await server.board.dispatch(["type": "ring", "times": 1], to: "bell", actor: "test")
            #expect(try await ask("Ana", tag).status == 200)
        }
    }

    @Test func `a page is compressed for whoever takes it so, with the same names in the same places`() async throws {
        try await TestServer.run(clock: ManualClock(), bell: true) { server in
            for path in ["/", "/runs", "/stores", "/gallery", "/system", "/operations/steps"] {
                let actor = "X-Weir-Actor: <Ana> & Co"
                let plain = try await server.ask("GET", path, headers: [actor])
                let small = try await server.ask("GET", path, headers: [actor, "Accept-Encoding: gzip"])
                #expect(plain["content-encoding"] == nil)
                #expect(small["content-encoding"] == "gzip", "\(path)")
                #expect(small["etag"] == plain["etag"])
                #expect(small.body.count * 2 < plain.body.count)
                if path != "/system" { #expect(try gunzip(small.body) == plain.body, "\(path)") }
            }
        }
    }

    @Test func `a run that retention removed is on no page any more, though nothing else has changed`() async throws {
        try await TestServer.run { server in
            let receipt = try await server.start("Old")
            _ = try await server.board.cancel(receipt.run, actor: "test")
            #expect(try await server.ask("GET", "/runs").text.contains("/runs/" + receipt.run))
            server.board.feed.forget([receipt.run])
            #expect(try await !server.ask("GET", "/runs").text.contains("/runs/" + receipt.run))
        }
    }
}
