import Testing
import TestSupport
import WeirBoards
import WeirJournals
import WeirStates

@testable import WeirWeb

/// What open pages say when the journal does not write.
@Suite(.timeLimit(.minutes(15)))
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
            #expect(page.text.contains(#"<div id="notice" role="alert"><div><p class="banner warn">"#))
            #expect(try await server.ask("GET", "/health/ready").status == 503)

            try await english.send("GET", next)
            try await server.untilHeld(1)
            journal.refuse(false)
            var after = try await english.response().json()
            #expect(after["notice"] == nil)
            if after["k"] == "empty" {
                // That recording goes on may be heard before what it recorded.
                try await english.send("GET", try #require(after["next"]?.string))
                after = try await english.response().json()
                #expect(after["notice"] == nil)
            }
            #expect(after["k"] == "batch")
            let sequence = server.board.feed.head(of: .board)
            try await until { server.board.recording == .recording }
            let now = try await server.ask("GET", server.dashboard.pollResponder.answers.urls.now("board", sequence))
            #expect(try now.json()["k"] == "empty")
            #expect(try now.json()["notice"] == nil)
        }
    }

    @Test func `what there is to know stands on every page, in its language, until somebody dismisses it`() async throws
    {
        let journal = WatchedJournal()
        let lost = JournalNotice(
            .lost, at: Timestamp(milliseconds: 7), file: "journal.sqlite.damaged-1-wal", lost: 3...4)
        journal.notices = [JournalNotice(.missing, at: Timestamp(milliseconds: 6)), lost]
        try await TestServer.run(journal: journal) { server in
            _ = try await server.start()
            for path in ["/", "/runs", "/gallery", "/system", "/operations/steps"] {
                let page = try await server.ask("GET", path, headers: ["Accept: text/html"]).text
                #expect(page.contains("The journal has lost changes 3 to 4. The rest continues as a new history. "))
                #expect(page.contains("What was left is saved as journal.sqlite.damaged-1-wal."))
                #expect(page.contains(#"<form method="post" action="/notices/lost-7/dismissal""#))
            }
            let waiting = try await server.connect()
            try await waiting.send("GET", try server.tail("board--pt-br"))
            try await server.untilHeld(1)
            let list = try await server.ask("GET", "/api/v1/notices").json()["notices"]?.array
            #expect(list?.compactMap { $0["id"]?.string } == ["missing-6", "lost-7"])
            #expect(list?.last?["lost"] == [3, 4])
            #expect(list?.last?["text"]?.string == lost.description)

            let form = try await server.ask(
                "POST", "/notices/lost-7/dismissal", headers: ["Referer: http://x:1/runs?operation=steps"], body: "")
            #expect(form.status == 303)
            #expect(form["location"] == "/runs?operation=steps")
            // Who waits hears of it at once, and of what is left to know.
            let told = try await waiting.response().json()["notice"]?.string ?? ""
            #expect(told.contains("Dispensar"))
            #expect(told.contains("missing-6") && !told.contains("lost-7"))
            #expect(try await server.ask("POST", "/api/v1/notices/lost-7/dismissal", body: "").status == 404)
            let foreign = try await server.ask(
                "POST", "/notices/x/dismissal", headers: ["Referer: http://x//evil.example/"], body: "")
            #expect(foreign["location"] == "/")
            let left = try await server.ask("POST", "/api/v1/notices/missing-6/dismissal", body: "")
            #expect(try left.json()["notices"] == [])
            #expect(try await !server.ask("GET", "/", headers: ["Accept: text/html"]).text.contains("dismissal"))
        }
    }

    @Test func `a page of another history is told that it was replaced, and changes bring what there is to know`()
        async throws
    {
        let journal = WatchedJournal()
        try await TestServer.run(journal: journal) { server in
            _ = try await server.start()
            let foreign = try await server.ask("GET", "/live/1/board--pt-br/anotherepoch1/7/now").json()
            #expect(foreign["k"] == "reset")
            #expect(foreign["why"] == "epoch")
            #expect(foreign["notice"]?.string?.contains("O histórico foi substituído por outro") == true)
            // Also where the page is of a run that this history does not have.
            for feed in ["run-gone", "output-gone"] {
                let gone = try await server.ask("GET", "/live/1/\(feed)/anotherepoch1/7/now").json()
                #expect(gone["why"] == "epoch", "\(feed)")
                #expect(gone["notice"]?.string?.contains("replaced by another") == true, "\(feed)")
                #expect(try await server.ask("GET", "/live/1/\(feed)/snap").status == 404)
                let epoch = server.board.epoch
                #expect(try await server.ask("GET", "/live/1/\(feed)/\(epoch)/7/now").status == 404)
            }
            let behind = server.dashboard.pollResponder.answers.urls.now("board", 0)
            #expect(try await server.ask("GET", behind).json()["notice"] == nil)
            journal.notices = [JournalNotice(.uncertain, at: Timestamp(milliseconds: 6))]
            try await until { !server.board.notices.isEmpty }
            let batch = try await server.ask("GET", behind).json()
            #expect(batch["k"] == "batch")
            #expect(batch["notice"]?.string?.contains("The machine stopped unexpectedly") == true)
            let snap = try await server.ask("GET", server.dashboard.pollResponder.answers.urls.snap("board")).json()
            #expect(snap["notice"] == batch["notice"])
        }
    }
}
