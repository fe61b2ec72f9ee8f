import Foundation
import Logging
import NIOCore
import Testing
import TestSupport
import WeirBoards
import WeirJournals
import WeirStates

@testable import WeirWeb

/// What happens when clients take more than there is.
@Suite(.serialized, .timeLimit(.minutes(15)))
struct CrowdLoadTests {
    private func limits(_ change: (inout ConnectionLimits) -> Void) -> ConnectionLimits {
        var limits = ConnectionLimits()
        limits.calm = .milliseconds(100)
        change(&limits)
        return limits
    }

    @Test func `when all connections are taken, those that ask nothing make room for one that asks`() async throws {
        let limits = limits {
            $0.count = 3
            $0.idle = .seconds(600)
        }
        try await TestServer.run(limits: limits) { server in
            for _ in 0..<10 { _ = try await server.connect() }
            #expect(try await server.ask("GET", "/health/live").status == 200)
            try await until { server.registry.count <= 3 }
            #expect(try await server.ask("GET", "/health/live").status == 200)
        }
    }

    @Test func `when all connections hold polls, the oldest is told to come back later and makes room`() async throws {
        try await TestServer.run(limits: limits { $0.count = 2 }) { server in
            let url = try server.tail()
            var viewers: [RawConnection] = []
            for number in 1...2 {
                viewers.append(try await server.connect())
                try await viewers[number - 1].send("GET", url)
                try await server.untilHeld(number)
            }
            let receipt = try await server.start()
            // One that is still held would be told to come back later, as below.
            try await server.untilHeld(0)
            let cancelled = try await server.ask("POST", "/api/v1/runs/\(receipt.run)/cancellation")
            #expect(cancelled.status < 300)
            for viewer in viewers { #expect(try await viewer.response().json()["k"] == "batch") }
        }
        try await TestServer.run(limits: limits { $0.count = 2 }) { server in
            let url = try server.tail()
            var viewers: [RawConnection] = []
            for number in 1...3 {
                viewers.append(try await server.connect())
                try await viewers[number - 1].send("GET", url)
                try await until { server.dashboard.held == min(number, 2) }
            }
            let answer = try await viewers[0].response()
            #expect(try answer.json()["k"] == "empty")
            #expect(try answer.json()["retry"] == [3_000, 6_000])
            #expect(answer["connection"] == "close")
            #expect(answer["cache-control"] == "no-store")
            #expect(await viewers[0].isEnded())
            try await server.untilHeld(2)
        }
    }

    @Test func `when all connections wait as programs do, they are answered early and make room`() async throws {
        try await TestServer.run(limits: limits { $0.count = 1 }) { server in
            let path = "/api/v1/feeds/board/changes?after=\(server.board.epoch).0&wait=60"
            var programs: [RawConnection] = []
            // More than are accepted at first.
            for _ in 0..<8 {
                programs.append(try await server.connect())
                try await programs[programs.count - 1].send("GET", path)
                // The others' requests are not read before the first's.
                if programs.count == 1 { try await server.untilHeld(1) }
            }
            #expect(try await server.ask("GET", "/health/live").status == 200)
            let answer = try await programs[0].response()
            #expect(try answer.json()["changes"] == [])
            #expect(answer["connection"] == "close")
        }
    }

    @Test func `one address has so many connections, and the next is refused in words`() async throws {
        try await TestServer.run(limits: limits { $0.countPerAddress = 1 }) { server in
            let first = try await server.connect()
            try await first.send("GET", "/health/live")
            #expect(try await first.response().status == 200)
            // Refused before it asks anything: what it sends afterwards may find the connection closed already.
            let second = try await server.connect()
            let refused = try await second.response()
            #expect(refused.status == 429)
            #expect(refused["retry-after"] == "5")
            #expect(try refused.json()["type"] == "urn:weir:problem:too-many-connections")
            #expect(await second.isEnded())
            await first.close()
            try await until { server.registry.count == 0 }
            // The place of the address is free a moment later; a connection that comes before it is closed.
            try await until { (try? await server.ask("GET", "/health/live"))?.status == 200 }
        }
    }

    @Test func `that all connections are taken is logged once, and once that there is room again`() async throws {
        let log = CapturedLog(level: .notice)
        let limits = limits {
            $0.count = 1
            $0.calm = .seconds(3)
        }
        try await TestServer.run(limits: limits, logger: log.logger) { server in
            for _ in 0..<6 { _ = try await server.connect() }
            #expect(try await server.ask("GET", "/health/live").status == 200)
            try await until { log.messages().count >= 2 }
        }
        #expect(log.messages().first?.hasPrefix("All connections are in use.") == true)
        #expect(log.messages().dropFirst().first == "There is room for connections again.")
        #expect(log.messages().filter { $0.hasPrefix("All connections are in use.") }.count == 1)
    }

    @Test func `large bodies that arrive at once share the memory there is, and a small request is read`() async throws
    {
        var configuration = WebConfiguration()
        configuration.bodyMemory = 300_000
        try await TestServer.run(configuration: configuration) { server in
            var connections: [RawConnection] = []
            for _ in 0..<4 {
                let connection = try await server.connect()
                try await connection.send(
                    raw: "POST /api/v1/operations/steps/runs HTTP/1.1\r\nHost: localhost\r\n"
                        + "Content-Type: application/json\r\nContent-Length: 1000000\r\n\r\n"
                        + String(repeating: " ", count: 250_000))
                connections.append(connection)
                // Bodies that are refused together might each have given back what another wanted.
                if connections.count == 1 {
                    try await until { server.dashboard.services.bodies.taken > 200_000 }
                }
            }
            let answer = try await server.ask(
                "POST", "/api/v1/operations/steps/runs", headers: ["Content-Type: application/json"],
                body: #"{"label":"a"}"#)
            #expect(answer.status == 201)
            for connection in connections { await connection.close() }
            try await until { server.dashboard.services.bodies.taken == 0 }
            let whole = try await server.ask(
                "POST", "/api/v1/operations/steps/runs", headers: ["Content-Type: application/json"],
                body: String(repeating: " ", count: 400_000) + #"{"label":"a"}"#)
            #expect(whole.status == 503)
            #expect(try whole.json()["type"] == "urn:weir:problem:overloaded")
        }
    }

    @Test func `a shutdown answers who is sending a file, and says where its run is`() async throws {
        try await TestServer.run { server in
            let connection = try await server.connect()
            try await connection.send(
                raw: "POST /api/v1/operations/keep/runs?filename=a HTTP/1.1\r\nHost: localhost\r\n"
                    + "Content-Length: 1000\r\n\r\nhalf")
            try await until { !server.board.view().recentRuns.isEmpty }
            let id = server.board.view().recentRuns[0].record.id
            await server.shutDown()
            let answer = try await connection.response()
            #expect(answer.status == 503)
            #expect(answer["connection"] == "close")
            #expect(answer["location"] == "/api/v1/runs/\(id)")
            #expect(answer["retry-after"] == nil)
            #expect(try answer.json()["detail"]?.string?.hasPrefix("The server is shutting down") == true)
            await server.board.outcome(of: id)
            let state = try await server.board.run(id).state
            #expect(state.payload["message"]?.string?.hasPrefix("The server was shut down") == true)
        }
    }
}
