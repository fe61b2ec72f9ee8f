import TestSupport
import Testing
import WeirBoards
import WeirStates

@testable import WeirWeb

/// Clients that keep a server busy; by themselves, because others would wait.
@Suite(.serialized, .timeLimit(.minutes(15)))
struct GreedyLoadTests {
    private func limits(_ change: (inout ConnectionLimits) -> Void) -> ConnectionLimits {
        var limits = ConnectionLimits()
        change(&limits)
        return limits
    }

    @Test func `a client that asks and asks and takes no answer is neither read without end nor kept`() async throws {
        try await TestServer.run(limits: limits { $0.stall = .seconds(1) }) { server in
            let greedy = try await server.connect(isReading: false)
            // Answered on the event loop, where nothing but the connection itself could hold them back.
            let one = "GET /live/1/board/x/0/0 HTTP/1.1\r\nHost: localhost\r\n\r\n"
            await greedy.pour(String(repeating: one, count: 20_000))
            let pages = try await server.connect(isReading: false)
            await pages.pour(String(repeating: "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", count: 2_000))
            #expect(try await server.ask("GET", "/health/live").status == 200)
            try await until { server.registry.count == 0 }
        }
    }

    @Test func `a body that drips ends in words though its connection is never silent`() async throws {
        let limits = limits {
            $0.bodyGrace = .seconds(1)
            $0.bodyRate = 1_000_000
        }
        try await TestServer.run(limits: limits) { server in
            let slow = try await server.connect()
            try await slow.send(
                raw: "POST /api/v1/operations/keep/runs?filename=a HTTP/1.1\r\nHost: localhost\r\n"
                    + "Content-Length: 100000000\r\n\r\n")
            let dripping = Task {
                while !Task.isCancelled {
                    try await slow.send(raw: "a")
                    await Task.yield()
                }
            }
            let answer = try await slow.response()
            dripping.cancel()
            #expect(answer.status == 408)
            #expect(answer["connection"] == "close")
            let location = try #require(answer["location"])
            try await until { try await server.ask("GET", location).json()["phase"] == "failed" }
            let run = try await server.ask("GET", location).json()
            #expect(run["state"]?["message"]?.string?.hasPrefix("The file arrived too slowly") == true)
        }
    }
}
