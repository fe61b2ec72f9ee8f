import Foundation
import Testing
import WeirBoards
import WeirJournals
import WeirStates

@testable import WeirWeb

/// The end of a stream is heard at once, and for good: section 4.1 of the Durable Streams protocol.
@Suite(.timeLimit(.minutes(15)))
struct StreamEndTests {
    private static let run = "/api/v1/streams/reported/deploy/r1"
    private static let output = "/api/v1/streams/output-r1"
    private static let json = "Content-Type: application/json"

    /// Opens a run that has printed one line; the place behind it.
    private func open(_ server: TestServer) async throws -> String {
        _ = try await server.ask("PUT", Self.run, body: "")
        let line = try await server.ask("POST", Self.run, headers: [Self.json], body: #"{"line":"one"}"#)
        #expect(line.status == 204)
        return try #require(try await server.ask("HEAD", Self.output)["stream-next-offset"])
    }

    private func end(_ server: TestServer, _ body: String = "") async throws {
        let headers = body.isEmpty ? ["Stream-Closed: true"] : ["Stream-Closed: true", Self.json]
        #expect(try await server.ask("POST", Self.run, headers: headers, body: body).status == 204)
    }

    // 5.7, stream closure
    @Test(arguments: ["", "/text"])
    func `the end of what a run prints is heard at once by those who wait for a line`(form: String) async throws {
        let clock = ManualClock()
        try await TestServer.run(clock: clock, reporting: true) { server in
            let tail = try await open(server)
            let follower = try await server.connect()
            try await follower.send("GET", Self.output + form + "?live=long-poll&offset=\(tail)")
            try await server.untilHeld(1)
            try await end(server)
            clock.advance(by: 1)
            // Else it would be held for thirteen seconds more.
            try #require(server.dashboard.held == 0)
            let answer = try await follower.response()
            #expect(answer.status == 204)
            #expect(answer["stream-closed"] == "true")
            #expect(answer["stream-up-to-date"] == "true")
            #expect(answer["stream-next-offset"] == tail)
            #expect(answer["stream-cursor"] == nil)
        }
    }

    // 5.8, stream closure
    @Test func `events of what a run prints end with it`() async throws {
        let clock = ManualClock()
        try await TestServer.run(clock: clock, reporting: true) { server in
            let tail = try await open(server)
            let follower = try await server.connect()
            try await follower.send("GET", Self.output + "?live=sse&offset=\(tail)")
            try await server.untilHeld(1)
            try await end(server)
            clock.advance(by: 1)
            try #require(server.dashboard.held == 0)
            let answer = try await follower.response()
            #expect(
                answer.text.hasSuffix(#""streamNextOffset":"\#(tail)","streamClosed":true,"upToDate":true}"# + "\n\n"))
        }
    }

    // 4.1: atomic with the final append
    @Test(arguments: ["long-poll", "sse"])
    func `a last line and the end that comes with it are one answer`(live: String) async throws {
        let clock = ManualClock()
        try await TestServer.run(clock: clock, reporting: true) { server in
            let tail = try await open(server)
            let follower = try await server.connect()
            try await follower.send("GET", Self.output + "?live=\(live)&offset=\(tail)")
            try await server.untilHeld(1)
            try await end(server, #"[{"line":"two"},{"state":"gone","phase":"failed"}]"#)
            clock.advance(by: 1)
            try #require(server.dashboard.held == 0)
            let answer = try await follower.response()
            #expect(answer.text.contains(#""text":"two""#))
            #expect(answer["stream-closed"] == "true" || answer.text.contains(#""streamClosed":true"#))
        }
    }

    @Test func `a page's poll and a program that wait for a line hear of the end at once`() async throws {
        let clock = ManualClock()
        try await TestServer.run(clock: clock, reporting: true) { server in
            _ = try await open(server)
            let page = try await server.connect()
            try await page.send("GET", try server.tail("output-r1", at: 1))
            let program = try await server.connect()
            try await program.send("GET", "/api/v1/runs/r1/output?after=1&wait=60")
            try await server.untilHeld(2)
            try await end(server)
            clock.advance(by: 1)
            try #require(server.dashboard.held == 0)
            #expect(try await page.response().json()["k"] == "end")
            #expect(try await program.response().json()["ended"] == true)
        }
    }

    // 4.1: durable
    @Test func `a stream that has ended stays so over a restart, whoever asks first`() async throws {
        let journal = MemoryJournal(epoch: "testepoch0001")
        let tail = Shared("")
        try await TestServer.run(journal: journal, reporting: true) { server in
            tail.value = try await open(server)
            try await end(server)
        }
        for mode in ["", "&live=long-poll", "&live=sse"] {
            try await TestServer.run(journal: journal, reporting: true) { server in
                let answer = try await server.ask("GET", Self.output + "?offset=\(tail.value)\(mode)")
                #expect(answer["stream-closed"] == "true" || answer.text.contains(#""streamClosed":true"#), "\(mode)")
                #expect(try await server.ask("HEAD", Self.output)["stream-closed"] == "true")
                #expect(try await server.ask("HEAD", Self.run)["stream-closed"] == "true")
                let late = try await server.ask("POST", Self.run, headers: [Self.json], body: #"{"beat":true}"#)
                #expect(late.status == 409)
                #expect(late["stream-closed"] == "true")
            }
        }
    }

    @Test func `a run that went on over a restart wakes those who wait for its lines and its end`() async throws {
        let journal = MemoryJournal(epoch: "testepoch0001")
        let tail = Shared("")
        try await TestServer.run(journal: journal, reporting: true) { server in tail.value = try await open(server) }
        let clock = ManualClock()
        try await TestServer.run(journal: journal, clock: clock, reporting: true) { server in
            let follower = try await server.connect()
            try await follower.send("GET", Self.output + "?live=long-poll&offset=\(tail.value)")
            try await server.untilHeld(1)
            try await end(server)
            clock.advance(by: 1)
            try #require(server.dashboard.held == 0)
            #expect(try await follower.response()["stream-closed"] == "true")
        }
    }
}
