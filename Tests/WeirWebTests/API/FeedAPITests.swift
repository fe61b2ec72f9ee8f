import TestSupport
import Testing
@testable import WeirBoards
import WeirJournals
import WeirStates

@testable import WeirWeb

@Suite(.timeLimit(.minutes(15)))
struct FeedAPITests {
    @Test func `without a cursor all that is kept comes, and then what follows`() async throws {
        try await TestServer.run { server in
            let receipt = try await server.start("World")
            let all = try await server.ask("GET", "/api/v1/feeds/board/changes").json()
            let epoch = server.board.epoch
            #expect(all["epoch"]?.string == epoch)
            #expect(all["from"] == 0)
            #expect(all["more"] == false)
            #expect(all["reset"] == nil)
            let changes = try #require(all["changes"]?.array)
            #expect(changes.map { $0["case"] } == ["waiting", "stepping"])
            #expect(changes.map { $0["revision"] } == [0, 1])
            #expect(changes[0]["stream"]?.string == "run-" + receipt.run)
            #expect(changes[0]["sequence"] == 1)
            #expect(changes[0]["phase"] == "idle")
            #expect(changes[1]["state"] == ["number": 0, "label": "World"])
            #expect(all["to"] == 2)
            let next = try #require(all["next"]?.string)
            #expect(next == epoch + ".2")
            let none = try await server.ask("GET", "/api/v1/feeds/board/changes?after=" + next).json()
            #expect(none["changes"] == [])
            #expect(none["next"]?.string == next)
            #expect(none["from"] == 2)
        }
    }

    // K9
    @Test func `a gap is reported to whoever has a cursor before it, with its bounds, and not to whoever begins`()
        async throws
    {
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
            #expect(
                await journal.prune(
                    RetentionPolicy(maximumAge: nil, maximumRunsPerOperation: 1), now: .init(milliseconds: 0)) == 1)
            let feed = "/api/v1/feeds/board/changes"
            let behind = try await server.ask("GET", "\(feed)?after=\(server.board.epoch).1").json()
            #expect(behind["reset"]?["reason"] == "gap")
            #expect(behind["reset"]?["lost"] == [2, .integer(floor.rawValue)])
            for path in [feed, "\(feed)?after=\(server.board.epoch).\(floor)"] {
                let answer = try await server.ask("GET", path).json()
                #expect(answer["reset"] == nil, "\(path)")
                #expect(answer["changes"] == behind["changes"])
                #expect(answer["changes"]?.array?.allSatisfy { $0["stream"]?.string == "run-\(kept)" } == true)
            }
        }
    }

    @Test func `a cursor on everything tells of rights that were lost and of rights that were gained`() async throws {
        let known = KnownNames()
        try await TestServer.run(secret: true, access: known.access) { server async throws in
            let hidden = try await server.board.start("secret", input: ["label": "hush"], actor: "mole").run
            _ = try await server.start()
            func read(_ name: String, _ after: String? = nil) async throws -> JSONValue {
                let path = "/api/v1/feeds/board/changes" + (after.map { "?after=\($0)" } ?? "")
                return try await server.ask("GET", path, headers: ["X-Test: \(name)"]).json()
            }
            let (vera, walt) = (try await read("vera"), try await read("walt"))
            let (partial, whole) = (try #require(vera["next"]?.string), try #require(walt["next"]?.string))
            #expect(try await read("victor", partial)["reset"] == nil)
            #expect(try await read("ada", whole)["reset"] == nil)
            // Who sees more now is shown what was out of sight, and who sees less begins anew too.
            for (name, cursor) in [("walt", partial), ("vera", whole)] {
                let answer = try await read(name, cursor)
                #expect(answer["reset"]?["reason"] == "audience", "\(name)")
                #expect(answer["from"] == 0, "\(name)")
                let streams = (answer["changes"]?.array ?? []).compactMap { $0["stream"]?.string }
                #expect(streams.contains("run-\(hidden)") == (name == "walt"))
                #expect(try await read(name, try #require(answer["next"]?.string))["reset"] == nil, "\(name)")
            }
            // On the feed of one operation a cursor of the whole is as good.
            let path = "/api/v1/feeds/operation-steps/changes?after="
            for cursor in [partial, whole] {
                let answer = try await server.ask("GET", path + cursor, headers: ["X-Test: vera"]).json()
                #expect(answer["reset"] == nil && answer["changes"] == [])
            }
        }
    }

    @Test func `a held request is answered by the change`() async throws {
        try await TestServer.run { server in
            let receipt = try await server.start()
            let epoch = server.board.epoch
            let program = try await server.connect()
            try await program.send("GET", "/api/v1/feeds/run-\(receipt.run)/changes?after=\(epoch).2&wait=60")
            let other = try await server.connect()
            try await other.send(
                "GET", "/api/v1/feeds/operation-steps/changes?after=\(epoch).2", headers: ["Prefer: wait=60"])
            try await server.untilHeld(2)
            try await until { server.board.viewers(of: .run(receipt.run)) == 1 }
            server.gate.step()
            let answer = try await program.response().json()
            #expect(answer["changes"]?.array?.map { $0["state"]?["number"] } == [1])
            let preferred = try await other.response()
            #expect(preferred["preference-applied"] == "wait=60")
            #expect(preferred["cache-control"] == "no-store")
            #expect(try preferred.json()["changes"]?.array?.count == 1)
        }
    }

    @Test func `a wait without a change ends empty, with the same cursor`() async throws {
        let clock = ManualClock()
        try await TestServer.run(clock: clock) { server in
            let program = try await server.connect()
            try await program.send("GET", "/api/v1/feeds/board/changes?after=\(server.board.epoch).0&wait=25")
            try await server.untilHeld(1)
            clock.advance(by: 25_100)
            try await server.untilLetGo(by: clock)
            let answer = try await program.response().json()
            #expect(answer["changes"] == [])
            #expect(answer["next"]?.string == server.board.epoch + ".0")
        }
    }

    @Test(arguments: ["wait=25", "after=now&wait=25"])
    func `a wait without a change is held where there is nothing to begin with`(query: String) async throws {
        let clock = ManualClock()
        try await TestServer.run(clock: clock) { server in
            for preference in [[], ["Prefer: wait=25"]] {
                let program = try await server.connect()
                try await program.send(
                    "GET", "/api/v1/feeds/board/changes?" + (preference.isEmpty ? query : "after=now"),
                    headers: preference)
                try await server.untilHeld(1)
                clock.advance(by: 25_100)
                try await server.untilLetGo(by: clock)
                let answer = try await program.response()
                #expect(answer["preference-applied"] == (preference.isEmpty ? nil : "wait=25"))
                #expect(try answer.json()["changes"] == [])
                #expect(try answer.json()["next"]?.string == server.board.epoch + ".0")
            }
        }
    }

    @Test func `what was not held does not say that a wait was applied`() async throws {
        try await TestServer.run { server in
            _ = try await server.start()
            for query in ["", "?after=other.7", "?after=\(server.board.epoch).99"] {
                let answer = try await server.ask(
                    "GET", "/api/v1/feeds/board/changes" + query, headers: ["Prefer: wait=2"])
                #expect(answer["preference-applied"] == nil, "\(query)")
                #expect(try answer.json()["changes"]?.array?.count == 2)
            }
        }
    }

    @Test func `a reader can begin with what comes from now on`() async throws {
        try await TestServer.run { server in
            let receipt = try await server.start(last: 1)
            let epoch = server.board.epoch
            let head = server.board.feed.head(of: .board)
            for feed in ["board", "run-\(receipt.run)", "operation-keep"] {
                let now = try await server.ask("GET", "/api/v1/feeds/\(feed)/changes?after=now").json()
                #expect(now["changes"] == [] && now["reset"] == nil && now["more"] == false)
                #expect(now["next"]?.string == "\(epoch).\(head)", "\(feed)")
            }
            let program = try await server.connect()
            try await program.send("GET", "/api/v1/feeds/run-\(receipt.run)/changes?after=now&wait=60")
            try await server.untilHeld(1)
            server.gate.step()
            let answer = try await program.response().json()
            #expect(answer["changes"]?.array?.map { $0["state"]?["number"] } == [2])
            #expect(answer["from"] == .integer(head.rawValue))
        }
    }

    @Test func `a cursor of another history, or ahead of this one, begins anew and says so`() async throws {
        try await TestServer.run { server in
            _ = try await server.start()
            for (after, reason) in [("otherepoch.7", "epoch"), ("\(server.board.epoch).99", "future")] {
                let answer = try await server.ask("GET", "/api/v1/feeds/board/changes?after=\(after)&wait=60").json()
                #expect(answer["reset"]?["reason"]?.string == reason)
                #expect(answer["changes"]?.array?.count == 2)
                #expect(answer["from"] == 0)
            }
        }
    }

    @Test func `a limit cuts the list, and more says so`() async throws {
        try await TestServer.run { server in
            _ = try await server.start(last: 9)
            let first = try await server.ask("GET", "/api/v1/feeds/board/changes?limit=4").json()
            #expect(first["changes"]?.array?.count == 4)
            #expect(first["more"] == true)
            let next = try #require(first["next"]?.string)
            let rest = try await server.ask("GET", "/api/v1/feeds/board/changes?after=" + next).json()
            #expect(rest["changes"]?.array?.first?["sequence"] == 5)
        }
    }

    @Test(arguments: ["after=x", "after=e.-1", "after=.1", "wait=x", "wait=61", "wait=-1", "limit=0", "after=%00"])
    func `a parameter that makes no sense is named`(query: String) async throws {
        try await TestServer.run { server in
            let answer = try await server.ask("GET", "/api/v1/feeds/board/changes?" + query)
            #expect(answer.status == 400)
            let name = query.prefix { $0 != "=" }
            #expect(try answer.json()["errors"]?.array?.first?["field"]?.string == String(name))
        }
    }
}
