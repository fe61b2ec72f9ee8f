import NIOCore
import Testing
import WeirBoards
import WeirJournals
import WeirStates

@testable import WeirWeb

/// What many at once come to.
///
/// Holds last seconds, so on a busy machine a crowd may never be complete: `script/test` runs these tests by themselves.
@Suite(.serialized, .timeLimit(.minutes(15)))
struct LoadTests {
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

    // Protocol test 12
    @Test func `a shutdown with many holds, half of them gone, ends by itself`() async throws {
        let clock = ContinuousClock()
        let asked = Shared<ContinuousClock.Instant?>(nil)
        try await TestServer.run { server in
            var viewers: [RawConnection] = []
            for index in 0..<200 {
                let viewer = try await server.connect()
                try await viewer.send("GET", try server.tail(index % 2 == 0 ? "board" : "operation-steps"))
                viewers.append(viewer)
            }
            let page = try await server.connect()
            try await page.send("GET", "/after/\(server.board.epoch).0")
            let program = try await server.connect()
            try await program.send("GET", "/api/v1/feeds/board/changes?after=\(server.board.epoch).0&wait=60")
            let idle = try await server.connect()
            try await server.untilHeld(202)
            for viewer in viewers.prefix(100) { try await viewer.reset() }
            asked.value = clock.now
            await server.shutDown()
            for viewer in viewers.suffix(100) {
                let answer = try await viewer.response()
                #expect(try answer.json()["k"] == "drain")
                #expect(try answer.json()["retry"] == [0, 4_000])
                #expect(answer["connection"] == "close")
                #expect(answer["cache-control"] == "public, max-age=20")
                #expect(await viewer.isEnded())
            }
            #expect(try await page.response().status == 200)
            #expect(try await program.response().json()["changes"] == [])
            #expect(await idle.isEnded())
        }
        // 1.6 s by design; the rest is for a machine that is busy with other tests. Without the end of what is left, the
        // idle connection alone would take a minute.
        let time = try #require(asked.value).duration(to: clock.now)
        #expect(time < .seconds(15))
    }
}
