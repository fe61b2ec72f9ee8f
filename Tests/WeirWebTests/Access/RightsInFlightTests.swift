import Foundation
import Testing
import TestSupport
@testable import WeirAccess
@testable import WeirBoards
import WeirJournals
import WeirStates

@testable import WeirWeb

/// Rights that are taken away are gone within a second, whatever is going on by them.
@Suite(.timeLimit(.minutes(15)))
struct RightsInFlightTests {
    private static let json = "Content-Type: application/json"

    private func page(_ server: TestServer, _ path: String, as name: String) async throws -> String {
        let text = try await server.ask("GET", path, headers: ["X-Test: \(name)", "Accept: text/html"]).text
        let start = try #require(text.range(of: "data-next=\"")).upperBound
        return String(text[start...].prefix { $0 != "\"" })
    }

    @Test func `who is signed out while a poll is held is told so at once, and shown nothing more`() async throws {
        let known = KnownNames()
        let clock = ManualClock()
        try await TestServer.run(clock: clock, bell: true, access: known.access) { server async throws in
            let url = try await page(server, "/", as: "vera")
            let (vera, victor) = (try await server.connect(), try await server.connect())
            try await vera.send("GET", url, headers: ["X-Test: vera"])
            try await victor.send("GET", url, headers: ["X-Test: victor"])
            try await server.untilHeld(2)
            known.signOut("vera")
            clock.advance(by: RightsWatch.interval)
            let answer = try await vera.response()
            #expect(answer.status == 401)
            #expect(answer["cache-control"] == "no-store")
            #expect(!answer.text.contains("steps"))
            #expect(server.dashboard.held == 1)
            _ = try await server.start()
            clock.advance(by: Topic.board.quiet)
            #expect(try await victor.response().json()["k"] == "batch")
            #expect(try await server.ask("GET", url, headers: ["X-Test: vera"]).status == 401)
        }
    }

    @Test func `whose role changes while a poll is held starts over with what they may see now`() async throws {
        let known = KnownNames()
        try await TestServer.run(bell: true, secret: true, access: known.access) { server async throws in
            let url = try await page(server, "/operations/secret", as: "ada")
            let ada = try await server.connect()
            try await ada.send("GET", url, headers: ["X-Test: ada"])
            try await server.untilHeld(1)
            let few = SubjectSelection(operations: [IDPattern("steps")].compactMap { $0 })
            known.control.replace(
                rules: AccessRules(grants: [RoleGrant(RoleAssignment("viewer", on: few), to: [.user("ada")])]))
            let answer = try await ada.response()
            let json = try answer.json()
            #expect(json["k"] == "reset")
            #expect(json["why"] == "audience")
            #expect(json["ev"]?.array?.isEmpty == true)
            let snap = try #require(json["snap"]?.string)
            #expect(try await server.ask("GET", snap, headers: ["X-Test: ada"]).status == 404)
        }
    }

    @Test func `a change that comes in the moment in which rights go is not shown`() async throws {
        let known = KnownNames()
        try await TestServer.run(bell: true, access: known.access) { server async throws in
            let url = try await page(server, "/", as: "vera")
            let vera = try await server.connect()
            try await vera.send("GET", url, headers: ["X-Test: vera"])
            try await server.untilHeld(1)
            // Nobody has looked at the rights yet when the change lets the poll go.
            known.gone.value.insert("vera")
            known.control.invalidate()
            _ = try await server.start("hush")
            let answer = try await vera.response()
            #expect(answer.status == 401)
            #expect(!answer.text.contains("hush"))
        }
    }

    @Test func `a request of the API that waits is refused when rights go meanwhile`() async throws {
        let known = KnownNames()
        try await TestServer.run(bell: true, access: known.access) { server async throws in
            let run = try await server.start().run
            for path in [
                "/api/v1/feeds/board/changes?after=now&wait=60", "/api/v1/feeds/run-\(run)/changes?after=now&wait=60",
            ] {
                known.gone.value = []
                let vera = try await server.connect()
                try await vera.send("GET", path, headers: ["X-Test: vera"])
                try await server.untilHeld(1)
                known.signOut("vera")
                #expect(try await vera.response().status == 401, "\(path)")
            }
        }
    }

    @Test func `what waits for others goes on when the rights of one sender change`() async throws {
        let known = KnownNames()
        let clock = ManualClock()
        try await TestServer.run(clock: clock, bell: true, access: known.access) { server async throws in
            let run = try await server.start().run
            let paths = [
                "/api/v1/feeds/run-\(run)/changes?after=now&wait=60", "/api/v1/feeds/board/changes?after=now&wait=60",
                "/api/v1/runs/\(run)/output?wait=60", "/api/v1/streams/run-\(run)?live=sse&offset=now",
                "/runs/\(run)/after/\(server.board.epoch).9", try await page(server, "/", as: "victor"),
                "/api/v1/streams/board?live=long-poll&offset=now",
            ]
            for path in paths {
                let connection = try await server.connect()
                try await connection.send("GET", path, headers: ["X-Test: victor"])
            }
            try await server.untilHeld(paths.count)
            let vera = try await server.connect()
            try await vera.send("GET", paths[0], headers: ["X-Test: vera"])
            try await server.untilHeld(paths.count + 1)
            known.signOut("vera")
            clock.advance(by: RightsWatch.interval)
            #expect(try await vera.response().status == 401)
            #expect(server.dashboard.held == paths.count)
            // Rights of roles and grants of others, and a change that concerns nobody.
            let grants = KnownNames.rules.grants
            for rules in [
                AccessRules(grants: Array(grants.dropLast())), AccessRules(grants: Array(grants.dropLast(2))),
            ] {
                known.control.replace(rules: rules)
                clock.advance(by: RightsWatch.interval)
                #expect(server.dashboard.held == paths.count)
            }
            known.control.invalidate()
            clock.advance(by: RightsWatch.interval)
            #expect(server.dashboard.held == paths.count)
            known.signOut("victor")
            clock.advance(by: RightsWatch.interval)
            try await server.untilHeld(0)
        }
    }

    @Test func `events continue while their reader may see the same, whatever other rights change`() async throws {
        let known = KnownNames()
        let clock = ManualClock()
        try await TestServer.run(clock: clock, bell: true, secret: true, access: known.access) { server async throws in
            let run = try await server.start().run
            let feeds = ["run-\(run)", "output-\(run)", "operation-steps", "store-bell", "board"]
            for feed in feeds {
                let connection = try await server.connect()
                try await connection.send(
                    "GET", "/api/v1/streams/\(feed)?live=sse&offset=now", headers: ["X-Test: ada"])
            }
            try await server.untilHeld(feeds.count)
            known.control.replace(
                rules: AccessRules(grants: [RoleGrant(RoleAssignment("viewer"), to: [.user("ada")])]))
            clock.advance(by: RightsWatch.interval)
            #expect(server.dashboard.held == feeds.count)
            let some = SubjectSelection(
                operations: ["steps"].compactMap { IDPattern($0) }, stores: ["bell"].compactMap { IDPattern($0) })
            known.control.replace(
                rules: AccessRules(grants: [RoleGrant(RoleAssignment("viewer", on: some), to: [.user("ada")])]))
            clock.advance(by: RightsWatch.interval)
            try await server.untilHeld(feeds.count - 1)
            known.control.replace(
                rules: AccessRules(grants: [
                    RoleGrant(
                        RoleAssignment(
                            "viewer", on: SubjectSelection(operations: ["secret"].compactMap { IDPattern($0) })),
                        to: [.user("ada")])
                ]))
            clock.advance(by: RightsWatch.interval)
            try await server.untilHeld(0)
        }
    }

    @Test(arguments: ["/api/v1", ""])
    func `an upload stops when its sender's rights go, and leads to its run, which says so`(base: String) async throws {
        let known = KnownNames()
        try await TestServer.run(bell: true, access: known.access) { server async throws in
            let otto = try await server.connect()
            let head = [
                "POST \(base)/operations/keep/runs?filename=a.bin HTTP/1.1", "Host: localhost", "X-Test: otto",
                "Content-Length: 1000", "Content-Type: application/octet-stream",
            ]
            try await otto.send(raw: head.joined(separator: "\r\n") + "\r\n\r\n12345")
            try await until { server.board.view().operation("keep")?.activeRuns == 1 }
            let run = try #require(server.board.view().operation("keep")?.latest?.record.id)
            try await until {
                try await server.board.run(run).state.payload["bytes"]?.integer == 5
            }
            known.signOut("otto")
            // The answer and the end of the connection may come first.
            await otto.pour("6789")
            let answer = try await otto.response()
            #expect(answer.status == 403)
            #expect(answer["location"] == "\(base)/runs/\(run)")
            await server.board.outcome(of: run)
            let record = try await server.board.run(run)
            #expect(record.state.phase == .failed)
            #expect(record.state.payload["message"]?.string?.contains("rights were taken away") == true)
        }
    }

    @Test func `an upload that stands still stops too when its sender's rights go`() async throws {
        let known = KnownNames()
        let clock = ManualClock()
        try await TestServer.run(clock: clock, bell: true, access: known.access) { server async throws in
            let (otto, victor) = (try await server.connect(), try await server.connect())
            let head = [
                "POST /api/v1/operations/keep/runs?filename=a.bin HTTP/1.1", "Host: localhost",
                "Content-Length: 1000", "Content-Type: application/octet-stream",
            ]
            known.control.replace(
                rules: AccessRules(grants: [RoleGrant(RoleAssignment("operator"), to: [.signedIn])]))
            for (name, connection) in [("otto", otto), ("victor", victor)] {
                try await connection.send(
                    raw: (head + ["X-Test: \(name)"]).joined(separator: "\r\n") + "\r\n\r\n12345")
            }
            try await until { server.board.view().operation("keep")?.activeRuns == 2 }
            known.signOut("otto")
            // Not another byte is sent.
            clock.advance(by: RightsWatch.interval)
            let answer = try await otto.response()
            #expect(answer.status == 403)
            let run = try #require(answer["location"]?.split(separator: "/").last.map(String.init))
            await server.board.outcome(of: run)
            let message = try await server.board.run(run).state.payload["message"]?.string
            #expect(message?.contains("rights were taken away") == true)
            // Who has theirs still goes on.
            try await victor.send(raw: String(repeating: "x", count: 995))
            #expect(try await victor.response().status == 201)
            #expect(server.dashboard.services.bodiesBeingRead.count == 0)
        }
    }

    @Test func `an import whose sender's rights go leaves nothing`() async throws {
        let known = KnownNames()
        try await TestServer.run(bell: true, access: known.access) { server async throws in
            let run = try await server.start().run
            server.gate.finish()
            await server.board.outcome(of: run)
            var file = ""
            _ = try await server.board.export(RunQuery()) { file += $0 + "\n" }
            let other = file.replacing(run, with: String(run.dropLast(3)) + "000")
            let head = server.board.feed.head(of: .board)
            let ada = try await server.connect()
            let fields = [
                "POST /api/v1/imports HTTP/1.1", "Host: localhost", "X-Test: ada",
                "Content-Length: \(other.utf8.count)", "Content-Type: application/jsonl",
            ]
            try await ada.send(raw: fields.joined(separator: "\r\n") + "\r\n\r\n" + other.prefix(20))
            try await until { server.dashboard.services.imports.taken == 1 }
            known.signOut("ada")
            // The answer and the end of the connection may come first.
            await ada.pour(String(other.dropFirst(20)))
            #expect(try await ada.response().status == 403)
            #expect(server.board.feed.head(of: .board) == head)
        }
    }

    @Test func `a download breaks off when rights go`() async throws {
        let known = KnownNames()
        try await TestServer.run(printing: true, access: known.access) { server async throws in
            let run = try await server.board.start("printer", input: ["lines": 120_000], actor: "x").run
            try await until { try await server.board.outputTail(of: run).head >= 120_000 }
            let otto = try await RawConnection.open(port: server.port, isReading: false)
            try await otto.send("GET", "/api/v1/runs/\(run)/export", headers: ["X-Test: otto"])
            #expect(try await otto.status() == 200)
            known.signOut("otto")
            try await otto.read()
            await #expect(throws: RawConnection.Ended.self) { try await otto.response() }
            server.gate.finish()
        }
    }

    @Test func `an assistant that waits for a run is refused when rights go`() async throws {
        let known = KnownNames()
        try await TestServer.run(access: known.access) { server async throws in
            let run = try await server.start().run
            let vera = try await server.connect()
            let call: JSONValue = [
                "jsonrpc": "2.0", "id": 1, "method": "tools/call",
                "params": ["name": "follow_run", "arguments": ["run": .string(run), "seconds": 50]],
            ]
            try await vera.send("POST", "/mcp", headers: ["X-Test: vera", Self.json], body: try call.text())
            try await server.untilHeld(1)
            known.signOut("vera")
            let result = try await vera.response().json()["result"]
            #expect(result?["isError"] == true)
            server.gate.finish()
        }
    }
}
