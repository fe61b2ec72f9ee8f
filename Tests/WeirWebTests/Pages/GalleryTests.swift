import Testing
import WeirBoards
import WeirPages

@testable import WeirWeb

@Suite(.timeLimit(.minutes(15)))
struct GalleryTests {
    private func page(_ server: TestServer, _ query: String = "", _ headers: [String] = []) async throws -> RawResponse
    {
        try await server.ask("GET", "/gallery" + query, headers: ["Accept: text/html"] + headers)
    }

    @Test func `a few operations are all on one page, and each has one of its own`() async throws {
        try await TestServer.run(bell: true) { server in
            let all = try await page(server).text
            for id in ["steps", "keep", "store-bell"] { #expect(all.contains(#"<h2 id="gallery-\#(id)">"#), "\(id)") }
            let one = try await page(server, "?operation=keep").text
            #expect(one.contains(#"<h2 id="gallery-keep">"#) && !one.contains(#"id="gallery-steps""#))
            #expect(one.contains(#"<a href="/gallery">All operations</a>"#))
            #expect(try await page(server, "?store=bell").text.contains(#"<h2 id="gallery-store-bell">"#))
            for query in ["?operation=nothing", "?store=nothing"] {
                #expect(try await page(server, query).status == 404)
            }
        }
    }

    @Test func `of many operations there is a list, with the anchors that there were and links that lead to each`()
        async throws
    {
        try await TestServer.run { server in
            var catalog = server.board.catalog
            for index in 0..<60 {
                catalog.add(Steps(gate: server.gate), id: "many-\(index)", title: "Many", summary: "Is one of many.")
            }
            try await server.dashboard.replace(catalog, templates: TemplateSet())
            let html = try await page(server).text
            #expect(html.contains(#"<li id="gallery-many-59"><a href="/gallery?operation=many-59">Many</a></li>"#))
            #expect(!html.contains(#"id="sample-"#))
            #expect(try await page(server, "?operation=many-59").text.contains(#"<h2 id="gallery-many-59">"#))
        }
    }

    @Test func `the gallery is the same at any time, so that it is rendered once`() async throws {
        let clock = ManualClock()
        try await TestServer.run(clock: clock) { server in
            let tag = try #require(try await page(server).headers["etag"])
            clock.advance(by: 86_400_000)
            #expect(try await page(server, "?x=1", ["If-None-Match: \(tag)"]).status == 304)
        }
    }
}
