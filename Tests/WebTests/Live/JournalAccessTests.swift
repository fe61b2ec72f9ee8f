import Boards
import Journals
import States
import Testing

@testable import Web

/// What open pages ask of the journal, and what they say when it does not write.
@Suite(.timeLimit(.minutes(3)))
struct JournalAccessTests {
    @Test func `a thousand open pages that follow every change ask the journal nothing`() async throws {
        let journal = WatchedJournal()
        try await TestServer.run(journal: journal) { server in
            _ = try await server.start()
            let (asked, appended) = (journal.reads, journal.appends.count)
            let pages = [("/", "board"), ("/operations/steps", "operation-steps")]
            var viewers: [(connection: RawConnection, next: String)] = []
            for number in 0..<1_000 {
                let (page, feed) = pages[number % pages.count]
                let connection = try await server.connect()
                try await connection.send("GET", page, headers: ["Accept: text/html"])
                let document = try await connection.response()
                let next = try #require(document.text.firstMatch(of: /data-next="([^"]+)"/)).1
                #expect(next.contains("/\(feed)/"))
                viewers.append((connection, String(next)))
            }
            #expect(journal.reads == asked)
            for round in 1...5 {
                for viewer in viewers { try await viewer.connection.send("GET", viewer.next) }
                try await server.untilHeld(viewers.count)
                // Each step is a change of both feeds.
                server.gate.step()
                for index in viewers.indices {
                    let answer = try await viewers[index].connection.response().json()
                    #expect(answer["k"] == "batch")
                    #expect(answer["ev"]?.array?.last?.array?[2].integer == Int64(round + 1))
                    viewers[index].next = try #require(answer["next"]?.string)
                }
            }
            #expect(journal.reads == asked)
            #expect(journal.appends.count - appended == 5)
            // A list with a filter does ask, so asking is seen.
            _ = try await server.ask("GET", "/runs?actor=test", headers: ["Accept: text/html"])
            #expect(journal.reads.count > asked.count)
        }
    }

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
