import Foundation
import Testing
import TestSupport
import WeirBoards
import WeirJournals
import WeirStates

@testable import WeirWeb

/// Feeds and outputs as streams, over connections: sections 5.5 to 5.8, 8 and 10 of the Durable Streams protocol.
@Suite(.timeLimit(.minutes(15)))
struct StreamTests {
    private static let board = "/api/v1/streams/board"

    private func offset(_ answer: RawResponse) throws -> String { try #require(answer["stream-next-offset"]) }

    // 5.6
    @Test func `a stream is read from its beginning, and on from where an answer ended`() async throws {
        try await TestServer.run { server in
            _ = try await server.start("World")
            let all = try await server.ask("GET", Self.board)
            #expect(all.status == 200)
            #expect(all["content-type"] == "application/json")
            #expect(all["stream-up-to-date"] == "true")
            #expect(all["stream-closed"] == nil)
            let messages = try #require(try all.json().array)
            let changes = try await server.ask("GET", "/api/v1/feeds/board/changes").json()["changes"]?.array
            #expect(messages == changes)
            #expect(try await server.ask("GET", Self.board + "?offset=-1").json().array == messages)
            server.gate.step()
            try await until { server.board.feed.head(of: .board) == 3 }
            let rest = try await server.ask("GET", Self.board + "?offset=" + offset(all))
            #expect(try rest.json().array?.map { $0["state"]?["number"] } == [1])
            #expect(try offset(rest) > offset(all))
            let tail = try await server.ask("GET", Self.board + "?offset=" + offset(rest))
            #expect(tail.text == "[]")
            #expect(try offset(tail) == offset(rest))
            #expect(tail["stream-up-to-date"] == "true" && tail["stream-closed"] == nil)
        }
    }

    // 8
    @Test func `now is the tail, without what came before and without a tag`() async throws {
        try await TestServer.run { server in
            _ = try await server.start()
            let now = try await server.ask("GET", Self.board + "?offset=now")
            #expect(now.text == "[]")
            #expect(now["etag"] == nil)
            #expect(now["cache-control"] == "no-store")
            #expect(try offset(now) == offset(try await server.ask("GET", Self.board)))
        }
    }

    // 5.5
    @Test func `HEAD tells the tail, and the end of a run's stream, and is never kept`() async throws {
        try await TestServer.run { server in
            let run = try await server.start().run
            let open = try await server.ask("HEAD", "/api/v1/streams/run-\(run)")
            #expect(open.status == 200)
            #expect(open["cache-control"] == "no-store")
            #expect(open["stream-closed"] == nil)
            #expect(open["content-type"] == "application/json")
            server.gate.finish()
            await server.board.outcome(of: run)
            let closed = try await server.ask("HEAD", "/api/v1/streams/run-\(run)")
            #expect(closed["stream-closed"] == "true")
            #expect(try offset(closed) > offset(open))
            #expect(try await server.ask("HEAD", "/api/v1/streams/run-none").status == 404)
        }
    }

    // 5.7
    @Test func `a long poll is answered by the next change, encoded once for all who wait`() async throws {
        try await TestServer.run { server in
            _ = try await server.start()
            let tail = try offset(try await server.ask("GET", Self.board))
            var followers: [RawConnection] = []
            for _ in 0..<8 {
                let follower = try await server.connect()
                try await follower.send("GET", Self.board + "?live=long-poll&offset=" + tail)
                followers.append(follower)
            }
            try await server.untilHeld(8)
            let before = server.dashboard.streamResponder.answers.encodings
            server.gate.step()
            for follower in followers {
                let answer = try await follower.response()
                #expect(answer.status == 200)
                #expect(try answer.json().array?.map { $0["state"]?["number"] } == [1])
                #expect(answer["stream-cursor"] != nil)
                #expect(answer["stream-up-to-date"] == "true")
            }
            #expect(server.dashboard.streamResponder.answers.encodings == before + 1)
            #expect(server.dashboard.held == 0)
        }
    }

    // 5.7
    @Test func `a long poll behind the tail is answered at once`() async throws {
        try await TestServer.run { server in
            _ = try await server.start()
            let answer = try await server.ask("GET", Self.board + "?live=long-poll&offset=-1")
            #expect(try answer.json().array?.count == 2)
            #expect(answer["stream-cursor"] != nil)
        }
    }

    // 5.7 and 10.1
    @Test func `a wait without news ends with its interval, and its cursor is never the one that was sent`()
        async throws
    {
        let clock = ManualClock(wall: 1_790_000_000_000)
        try await TestServer.run(clock: clock) { server in
            let rest = StreamCursor.hold(at: clock.wall)
            let current = StreamCursor(at: clock.wall)
            let follower = try await server.connect()
            try await follower.send("GET", Self.board + "?cursor=\(current)&live=long-poll&offset=now")
            try await server.untilHeld(1)
            clock.advance(by: rest - 1)
            #expect(server.dashboard.held == 1)
            clock.advance(by: 1)
            try await server.untilLetGo(by: clock)
            let answer = try await follower.response()
            #expect(answer.status == 204)
            #expect(answer.body.isEmpty)
            #expect(answer["stream-up-to-date"] == "true")
            #expect(answer["stream-next-offset"] != nil)
            #expect(try #require(StreamCursor(answer["stream-cursor"] ?? "")).number > current.number)
            let tail = try offset(answer)
            try await follower.send("GET", Self.board + "?live=long-poll&offset=\(tail)")
            try await server.untilHeld(1)
            clock.advance(by: StreamCursor.longestHold)
            try await server.untilLetGo(by: clock)
            #expect(try await follower.response()["cache-control"] == "public, max-age=20")
        }
    }

    // 10.1
    @Test
    func `a clock that is set back or ahead while somebody waits changes neither the wait nor the order of cursors`()
        async throws
    {
        let clock = ManualClock(wall: 1_790_000_000_000)
        try await TestServer.run(clock: clock) { server in
            _ = try await server.start()
            var query = "offset=now"
            var last = Int64(-1)
            for jump in [-3_600_000, 7_200_000, -86_400_000, 0] as [Int64] {
                let rest = StreamCursor.hold(at: clock.wall)
                let follower = try await server.connect()
                try await follower.send("GET", Self.board + "?live=long-poll&" + query)
                try await server.untilHeld(1)
                clock.set(wallBy: jump)
                clock.advance(by: rest - 1)
                #expect(server.dashboard.held == 1)
                clock.advance(by: 1)
                try await server.untilLetGo(by: clock)
                let answer = try await follower.response()
                #expect(answer.status == 204)
                let cursor = try #require(StreamCursor(answer["stream-cursor"] ?? "")).number
                #expect(cursor > last)
                last = cursor
                query = "cursor=\(cursor)&offset=" + (try offset(answer))
            }
            // Places are good whatever the clock shows.
            let answer = try await server.ask("GET", Self.board + "?" + query)
            #expect(answer.status == 200)
            #expect(try await server.ask("GET", Self.board + "?offset=-1").json().array?.count == 2)
        }
    }

    // 5.6, 5.7 and 8
    @Test func `a stream without anything is read all the same, and waited for`() async throws {
        let clock = ManualClock()
        try await TestServer.run(clock: clock) { server in
            for query in ["", "?offset=-1", "?offset=now"] {
                let answer = try await server.ask("GET", Self.board + query)
                #expect(answer.status == 200)
                #expect(answer.text == "[]")
                #expect(answer["stream-up-to-date"] == "true")
                #expect(try await server.ask("GET", Self.board + "?offset=" + offset(answer)).text == "[]")
            }
            var followers: [RawConnection] = []
            for query in ["offset=-1", "offset=now"] {
                let follower = try await server.connect()
                try await follower.send("GET", Self.board + "?live=long-poll&" + query)
                followers.append(follower)
            }
            try await server.untilHeld(2)
            _ = try await server.board.start("steps", input: ["label": "a", "last": 0], actor: "test")
            try await until {
                clock.advance(by: 1)
                return server.dashboard.held == 0
            }
            for follower in followers {
                #expect(try await follower.response().json().array?.first?["sequence"] == 1)
            }
        }
    }

    // 5.7, stream closure
    @Test func `at the end of a run nobody waits`() async throws {
        try await TestServer.run { server in
            let run = try await server.start().run
            server.gate.finish()
            await server.board.outcome(of: run)
            let path = "/api/v1/streams/run-\(run)"
            let end = try offset(try await server.ask("HEAD", path))
            for query in ["offset=\(end)", "offset=now"] {
                let answer = try await server.ask("GET", path + "?live=long-poll&" + query)
                #expect(answer.status == 204)
                #expect(answer["stream-closed"] == "true")
                #expect(answer["stream-up-to-date"] == "true")
            }
        }
    }

    // 5.6: 410
    @Test func `a place that is no use is gone, never skipped, with from where on the stream is kept`() async throws {
        let journal = MemoryJournal(epoch: "testepoch0001")
        try await TestServer.run(journal: journal, tailLimit: 2) { server in
            func run(_ label: String) async throws -> String {
                let id = try await server.board.start("steps", input: ["label": .string(label)], actor: "test").run
                server.gate.finish()
                await server.board.outcome(of: id)
                return id
            }
            let gone = try await run("gone")
            let floor = try await server.board.run(gone).sequence
            let kept = try await run("kept")
            let policy = RetentionPolicy(maximumAge: nil, maximumRunsPerOperation: 1)
            #expect(await journal.prune(policy, now: .init(milliseconds: 0)) == 1)
            let history = server.dashboard.streamResponder.answers.history
            let before = StreamOffset(history, floor.previous)
            let other = StreamOffset(
                StreamOffset.History(epoch: "other", began: Timestamp(milliseconds: 0)), floor)
            let future = StreamOffset(history, 1_000)
            for lost in [before, other, future] {
                for live in ["", "&live=long-poll", "&live=sse"] {
                    let answer = try await server.ask("GET", "\(Self.board)?offset=\(lost)\(live)")
                    #expect(answer.status == 410)
                    #expect(answer["cache-control"] == "no-store")
                    #expect(answer["content-type"] == "application/problem+json")
                    #expect(answer["stream-first-offset"] == StreamOffset(history, floor).description)
                }
            }
            let first = try await server.ask("GET", "\(Self.board)?offset=\(StreamOffset(history, floor))")
            #expect(first.status == 200)
            #expect(try await server.ask("GET", Self.board).json() == first.json())
            #expect(try first.json().array?.allSatisfy { $0["stream"]?.string == "run-\(kept)" } == true)
        }
    }

    @Test func `what is no stream is not found, and what is malformed is refused`() async throws {
        try await TestServer.run { server in
            for path in [
                "nothing", "run-none", "operation-none", "store-none", "output-none", "board/text", "run-none/text",
            ] {
                for query in ["", "?offset=now", "?live=sse&offset=now", "?live=long-poll&offset=now"] {
                    let answer = try await server.ask("GET", "/api/v1/streams/\(path)\(query)")
                    #expect(answer.status == 404, "\(path)\(query)")
                    #expect(answer["cache-control"] == "no-store")
                }
            }
            for query in [
                "offset=", "offset=a,b", "live=long-poll", "live=sse", "offset=-1&cursor=x", "offset=1&offset=2",
            ] {
                #expect(try await server.ask("GET", Self.board + "?" + query).status == 400, "\(query)")
            }
            for method in ["POST", "PUT", "DELETE"] {
                #expect(try await server.ask(method, Self.board, body: "").status == 405)
            }
        }
    }

    @Test func `when the server shuts down, readers are let go with what they had`() async throws {
        try await TestServer.run { server in
            let follower = try await server.connect()
            try await follower.send("GET", Self.board + "?live=long-poll&offset=now")
            let events = try await server.connect()
            try await events.send("GET", Self.board + "?live=sse&offset=now")
            try await server.untilHeld(2)
            await server.shutDown()
            let answer = try await follower.response()
            #expect(answer.status == 204)
            #expect(answer["connection"] == "close")
            #expect(try await events.response().text.contains("upToDate"))
        }
    }
}
