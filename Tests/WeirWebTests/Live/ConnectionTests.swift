import NIOCore
import Testing
import TestSupport
@testable import WeirBoards
import WeirJournals
import WeirStates

@testable import WeirWeb

@Suite(.timeLimit(.minutes(15)))
struct ConnectionTests {
    // Protocol test 11
    @Test(arguments: [true, false])
    func `a client that leaves is noticed, whether it says so or not`(isReset: Bool) async throws {
        try await TestServer.run { server in
            let viewer = try await server.connect()
            try await viewer.send("GET", try server.tail())
            try await server.untilHeld(1)
            try await until { server.board.viewers(of: .board) == 1 }
            if isReset { try await viewer.reset() } else { await viewer.close() }
            try await server.untilHeld(0)
            try await until { server.board.viewers(of: .board) == 0 }
        }
    }

    // Protocol test 11
    @Test func `a hundred polls go over one connection`() async throws {
        try await TestServer.run { server in
            let viewer = try await server.connect()
            var url = try server.tail("operation-steps")
            _ = try await server.start()
            for _ in 0..<100 {
                try await viewer.send("GET", url)
                server.gate.step()
                let answer = try await viewer.response()
                #expect(answer.status == 200)
                #expect(answer["connection"] == nil)
                url = try #require(try answer.json()["next"]?.string)
            }
            #expect(server.registry.count == 1)
        }
    }

    @Test func `requests sent at once are answered in their order, held ones among them`() async throws {
        try await TestServer.run { server in
            let viewer = try await server.connect()
            let tail = try server.tail()
            let head = "Host: localhost\r\n\r\n"
            try await viewer.send(
                raw: "GET /health/live HTTP/1.1\r\n\(head)GET \(tail) HTTP/1.1\r\n\(head)"
                    + "GET /hello?label=A HTTP/1.1\r\n\(head)GET /live/1/board/x/0/0 HTTP/1.1\r\n\(head)")
            #expect(try await viewer.response().text.contains("live"))
            try await server.untilHeld(1)
            _ = try await server.start()
            #expect(try await viewer.response().json()["k"] == "batch")
            #expect(try await viewer.response().text == "Hello, A!")
            #expect(try await viewer.response().json()["why"] == "epoch")
        }
    }

    @Test(arguments: [
        "CONNECT example.com:80 HTTP/1.1\r\n",
        "GET /hello HTTP/1.1\r\nUpgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABk\r\n",
        "GET /live/1/board/x/0/0 HTTP/1.1\r\nupgrade: websocket\r\nconnection: upgrade\r\n",
        "GET /hello HTTP/1.0\r\n",
        "GET /live/1/board/x/0/0 HTTP/1.0\r\n",
        "GET /hello HTTP/1.0\r\nConnection: TE\r\n",
        "GET /hello HTTP/1.1\r\nConnection: TE, Close\r\n",
        "GET /hello HTTP/1.1\r\nConnection: keep-alive\r\nProxy-Connection: close\r\n",
    ])
    func `a connection whose client ends it or asks for another protocol ends with the answer, which says so`(
        request: String
    ) async throws {
        try await TestServer.run { server in
            let client = try await server.connect()
            let next = "GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n"
            try await client.send(raw: "\(request)Host: localhost\r\n\r\n\(next)")
            #expect(try await client.response()["connection"] == "close")
            #expect(await client.isEnded())
        }
    }

    @Test func `a client that floods behind a held poll is not read without end`() async throws {
        try await TestServer.run { server in
            let viewer = try await server.connect()
            let tail = try server.tail()
            try await viewer.send("GET", tail)
            try await server.untilHeld(1)
            let one = "GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n"
            try await viewer.send(raw: String(repeating: one, count: 200))
            _ = try await server.start()
            #expect(try await viewer.response().json()["k"] == "batch")
            for _ in 0..<200 { #expect(try await viewer.response().status == 200) }
        }
    }

    // Each of the three has a server in which only the limit that it meets is short: a slow machine can meet no other.
    private func limits(_ change: (inout ConnectionLimits) -> Void) -> ConnectionLimits {
        var limits = ConnectionLimits()
        change(&limits)
        return limits
    }

    @Test func `a client that sends no request is let go`() async throws {
        try await TestServer.run(limits: limits { $0.idle = .seconds(1) }) { server in
            let silent = try await server.connect()
            #expect(await silent.isEnded())
        }
    }

    @Test func `a client whose head stops is told so and let go, while a poll is held far longer`() async throws {
        try await TestServer.run(limits: limits { $0.head = .seconds(1) }) { server in
            let held = try await server.connect()
            try await held.send("GET", try server.tail())
            try await server.untilHeld(1)
            let half = try await server.connect()
            try await half.send(raw: "GET /health/live HT")
            let slow = try await half.response()
            #expect(slow.status == 408)
            #expect(slow["connection"] == "close")
            #expect(await half.isEnded())
            #expect(server.dashboard.held == 1)
        }
    }

    @Test func `a client whose body stops is told so and let go`() async throws {
        let limits = limits {
            $0.bodyGrace = .seconds(1)
            // Whoever reads the body answers, as soon as a processor is free.
            $0.linger = .seconds(30)
        }
        try await TestServer.run(limits: limits) { server in
            let stopped = try await server.connect()
            try await stopped.send(
                raw: "POST /api/v1/operations/steps/runs HTTP/1.1\r\nHost: localhost\r\n"
                    + "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{")
            let stalled = try await stopped.response()
            #expect(stalled.status == 408)
            #expect(try stalled.json()["type"] == "urn:weir:problem:slow-body")
            #expect(await stopped.isEnded())
            await stopped.close()
        }
    }

    @Test func `what is not HTTP, and a header without end, are answered in words`() async throws {
        try await TestServer.run { server in
            let noise = try await server.connect()
            try await noise.send(raw: "\u{1}\u{2}\u{3} hello\r\n\r\n")
            let answer = try await noise.response()
            #expect(answer.status == 400)
            #expect(answer["content-type"] == "application/problem+json")
            #expect(answer["cache-control"] == "no-store")
            #expect(await noise.isEnded())
            let long = try await server.connect()
            try await long.send(
                raw: "GET / HTTP/1.1\r\nHost: localhost\r\nX-A: " + String(repeating: "a", count: 20_000) + "\r\n\r\n")
            let tooLong = try await long.response()
            #expect(tooLong.status == 431)
            #expect(await long.isEnded())
        }
    }
}
