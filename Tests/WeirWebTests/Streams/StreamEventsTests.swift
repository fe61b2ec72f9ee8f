import Foundation
import Hummingbird
import Testing
import TestSupport
@testable import WeirAccess
import WeirBoards
import WeirJournals
import WeirStates

@testable import WeirWeb

/// Streams as server-sent events, over connections: section 5.8 of the Durable Streams protocol.
@Suite(.timeLimit(.minutes(15)))
struct StreamEventsTests {
    private static let board = "/api/v1/streams/board"
    private static let run = "/api/v1/streams/reported/deploy/r1"
    private static let json = "Content-Type: application/json"

    /// The events of an answer: the name and the data of each; comments are none.
    private func events(_ answer: RawResponse) throws -> [(name: String, data: JSONValue)] {
        try answer.text.components(separatedBy: "\n\n").filter { !$0.isEmpty && !$0.hasPrefix(":") }.map { event in
            let lines = event.components(separatedBy: "\n")
            #expect(lines.count == 2, "\(event)")
            return (
                String(lines[0].dropFirst("event: ".count)),
                try JSONValue(parsing: String(lines[1].dropFirst("data: ".count)))
            )
        }
    }

    // 5.8
    @Test func `events bring what is there and what comes, each batch with the place behind it`() async throws {
        let clock = ManualClock()
        try await TestServer.run(clock: clock) { server in
            _ = try await server.start()
            let follower = try await server.connect()
            try await follower.send("GET", Self.board + "?live=sse&offset=-1")
            try await server.untilHeld(1)
            server.gate.step()
            try await until { server.board.feed.head(of: .board) == 3 }
            try await until {
                clock.advance(by: 100)
                return server.dashboard.streamResponder.answers.encodings >= 2
            }
            let isOver = Shared(false)
            let reading = Task {
                defer { isOver.value = true }
                return try await follower.response()
            }
            // A minute later the connection is over.
            try await until {
                clock.advance(by: 1_000)
                return isOver.value
            }
            let answer = try await reading.value
            #expect(answer["content-type"] == "text/event-stream")
            #expect(answer["content-length"] == nil)
            let events = answer.text.components(separatedBy: "\n\n").filter { $0.hasPrefix("event:") }
            let data = try events.filter { $0.hasPrefix("event: data") }.map {
                try JSONValue(parsing: String($0.dropFirst("event: data\ndata: ".count)))
            }
            #expect(data.flatMap { $0.array ?? [] }.compactMap { $0["sequence"]?.integer } == [1, 2, 3])
            let controls = try events.filter { $0.hasPrefix("event: control") }.map {
                try JSONValue(parsing: String($0.dropFirst("event: control\ndata: ".count)))
            }
            #expect(controls.count == data.count)
            #expect(controls.allSatisfy { $0["streamCursor"]?.string != nil && $0["upToDate"] == true })
            #expect(
                controls.last?["streamNextOffset"]?.string
                    == server.dashboard.streamResponder.answers.offset(3, of: .feed(.board)))
        }
    }

    // 5.8, stream closure
    @Test func `events of a run end with it, and say so`() async throws {
        try await TestServer.run { server in
            let run = try await server.start().run
            server.gate.finish()
            await server.board.outcome(of: run)
            for query in ["offset=-1", "offset=now"] {
                let answer = try await server.ask("GET", "/api/v1/streams/run-\(run)?live=sse&\(query)")
                let last = try #require(answer.text.components(separatedBy: "\n\n").last { !$0.isEmpty })
                let control = try JSONValue(parsing: String(last.dropFirst("event: control\ndata: ".count)))
                #expect(control["streamClosed"] == true)
                #expect(control["upToDate"] == true)
                #expect(control["streamCursor"] == nil)
                #expect(answer.text.contains("event: data") == (query == "offset=-1"))
            }
        }
    }

    // 5.8 and 12.7
    @Test func `events have a type of their own, no length, and are kept by nobody`() async throws {
        try await TestServer.run(reporting: true) { server in
            _ = try await server.ask("PUT", Self.run, headers: ["Stream-Closed: true"], body: "")
            let answer = try await server.ask("GET", "/api/v1/streams/run-r1?live=sse&offset=-1")
            #expect(answer.status == 200)
            #expect(answer["content-type"] == "text/event-stream")
            #expect(answer["content-length"] == nil)
            #expect(answer["cache-control"] == "no-cache")
            #expect(answer["x-accel-buffering"] == "no")
            #expect(answer["x-content-type-options"] == "nosniff")
            #expect(answer["stream-sse-data-encoding"] == nil)
        }
    }

    // 5.8 and 10.1
    @Test func `the cursor of events is never the one that was sent`() async throws {
        let clock = ManualClock()
        try await TestServer.run(clock: clock) { server in
            _ = try await server.start()
            for ahead in [-1, 0, 5] as [Int64] {
                let sent = StreamCursor(at: clock.wall).number + ahead
                let follower = try await server.connect()
                try await follower.send("GET", Self.board + "?cursor=\(sent)&live=sse&offset=-1")
                try await server.untilHeld(1)
                server.dashboard.pollResponder.letTasksGo()
                let cursor = try #require(try events(try await follower.response()).last?.data["streamCursor"]?.string)
                #expect(try #require(StreamCursor(cursor)).number > sent)
            }
        }
    }

    // 5.8: what is within a message never reads as an event
    @Test func `no text within a message forges an event`() async throws {
        try await TestServer.run(reporting: true) { server in
            _ = try await server.ask("PUT", Self.run, headers: [Self.json], body: "{}")
            let hostile = "a\\n\\nevent: control\\ndata: {\\\"streamClosed\\\":true}\\r\\r\\revent: data\\u2028\\u0000"
            let body = #"[{"state":"s","text":"\#(hostile)"},{"line":"x\revent: control\rdata: {}"}]"#
            let headers = [Self.json, "Stream-Closed: true"]
            #expect(try await server.ask("POST", Self.run, headers: headers, body: body).status == 204)
            for (stream, count) in [("run-r1", 3), ("output-r1", 1)] {
                let answer = try await server.ask("GET", "/api/v1/streams/\(stream)?live=sse&offset=-1")
                #expect(!answer.body.contains(0x0d))
                let found = try events(answer)
                #expect(found.map(\.name) == ["data", "control"])
                #expect(found.first?.data.array?.count == count)
                #expect(found.last?.data["streamClosed"] == true)
            }
        }
    }

    // 5.8
    @Test func `events without news tell the place once, and after it only that the connection lives`() async throws {
        let clock = ManualClock()
        try await TestServer.run(clock: clock) { server in
            _ = try await server.start()
            let follower = try await server.connect()
            try await follower.send("GET", Self.board + "?live=sse&offset=now")
            try await server.untilHeld(1)
            let isOver = Shared(false)
            let reading = Task {
                defer { isOver.value = true }
                return try await follower.response()
            }
            try await until {
                clock.advance(by: 1_000)
                return isOver.value
            }
            let answer = try await reading.value
            #expect(answer.text.contains("\n\n:\n\n"))
            #expect(try events(answer).map(\.name) == ["control"])
        }
    }

    @Test func `events end in order when the right to them goes`() async throws {
        let known = KnownNames()
        try await TestServer.run(access: known.access) { server in
            let vera = known.control.authorize(Principal(.person, name: "vera"), credential: .token("vera"))
            let check = AccessCheck(control: known.control, isOpen: false) { _, _ in .askRoute }
            let events = StreamEvents(
                dashboard: server.dashboard.everything,
                request: StreamRequest(.feed(.board), start: .beginning, mode: .events), from: 0,
                right: HeldRight(Admission(authorization: vera, check: check), .everything(.see), operation: nil))
            known.signOut("vera")
            let writer = CountingWriter()
            try await events.response().body.write(writer)
            #expect(writer.written.value == 0)
            #expect(writer.isFinished.value)
        }
    }
}
