import Boards
import Journals
import States
import Testing

@testable import Web

/// What open pages say when the journal does not write.
@Suite(.timeLimit(.minutes(2)))
struct NoticeTests {
    // K7
    @Test func `who waits is told when nothing can be recorded, and when it can again`() async throws {
        let journal = WatchedJournal()
        try await TestServer.run(journal: journal) { server in
            _ = try await server.start()
            let english = try await server.connect()
            let portuguese = try await server.connect()
            let url = try server.tail()
            try await english.send("GET", url)
            try await portuguese.send("GET", try server.tail("board--pt-br"))
            try await server.untilHeld(2)
            journal.refuse(true)
            server.gate.step()
            let told = try await english.response()
            #expect(try told.json()["k"] == "empty")
            #expect(try told.json()["notice"]?.string?.contains("Not recorded since <time") == true)
            #expect(told["cache-control"] == "public, max-age=1")
            #expect(try await portuguese.response().json()["notice"]?.string?.contains("Sem registro desde") == true)
            let next = try #require(try told.json()["next"]?.string)
            #expect(next != url)
            let page = try await server.ask("GET", "/", headers: ["Accept: text/html"])
            #expect(page.text.contains(#"<div id="notice" role="alert"><p class="banner warn">"#))
            #expect(try await server.ask("GET", "/health/ready").status == 503)

            try await english.send("GET", next)
            try await server.untilHeld(1)
            journal.refuse(false)
            let after = try await english.response()
            #expect(try after.json()["k"] == "batch")
            #expect(try after.json()["notice"] == nil)
            let sequence = server.board.feed.head(of: .board)
            try await server.until { server.board.recording == .recording }
            let now = try await server.ask("GET", server.dashboard.desk.answers.urls.now("board", sequence))
            #expect(try now.json()["k"] == "empty")
            #expect(try now.json()["notice"] == nil)
        }
    }
}
