import Testing
import WeirBoards
import WeirJournals
import WeirStates

@testable import WeirWeb

@Suite(.timeLimit(.minutes(15)))
struct RateLimitTests {
    @Test func `a bucket holds a minute's worth and fills evenly`() {
        var machine = RateMachine<String>(perMinute: 30)
        for _ in 0..<30 {
            #expect(machine.wait(of: "a", now: 5) == 0)
            machine.take("a", now: 5)
        }
        #expect(machine.wait(of: "a", now: 5) == 2_000)
        #expect(machine.wait(of: "a", now: 1_005) == 1_000)
        #expect(machine.wait(of: "b", now: 5) == 0)
        #expect(machine.wait(of: "a", now: 2_005) == 0)
        machine.take("a", now: 2_005)
        #expect(machine.wait(of: "a", now: 2_005) == 2_000)
        #expect(machine.wait(of: "a", now: 100_000) == 0)
    }

    @Test func `full buckets are forgotten, so that invented names take no memory for long`() {
        var machine = RateMachine<Int>(perMinute: 60)
        for name in 0..<100_000 { machine.take(name, now: Int64(name) * 10) }
        #expect(machine.count <= RateMachine<Int>.tidyAt)
    }

    @Test func `who puts states into stores too often is asked to wait, and others are not`() async throws {
        let clock = ManualClock()
        var configuration = WebConfiguration()
        configuration.stateWritesPerMinute = 2
        try await TestServer.run(configuration: configuration, clock: clock, bell: true) { server in
            let state = "/api/v1/stores/bell/state"
            func put(_ actor: String) async throws -> RawResponse {
                try await server.ask(
                    "PUT", state, headers: ["Content-Type: application/json", "X-Weir-Actor: \(actor)"],
                    body: #"{"rings":1}"#)
            }
            for _ in 0..<2 { #expect(try await put("Ana").status == 200) }
            let refused = try await put("Ana")
            #expect(refused.status == 429 && refused["retry-after"] == "30")
            #expect(try refused.json()["type"] == "urn:weir:problem:too-many-requests")
            let reset = try await server.ask("POST", "/stores/bell/reset", headers: ["X-Weir-Actor: Ana"])
            #expect(reset.status == 429)
            let log = try server.board.store("bell").log.count
            #expect(log == 3)
            #expect(try await put("Rui").status == 200)
            let ring = try await server.ask(
                "POST", "/api/v1/stores/bell/actions",
                headers: ["Content-Type: application/json", "X-Weir-Actor: Ana"], body: #"{"type":"ring","times":1}"#)
            #expect(ring.status == 200)
            clock.advance(by: 30_000)
            #expect(try await put("Ana").status == 200)
        }
    }

    @Test func `inventing a name for each state does not get round the limit`() async throws {
        var configuration = WebConfiguration()
        configuration.stateWritesPerMinute = 2
        try await TestServer.run(configuration: configuration, clock: ManualClock(), bell: true) { server in
            var statuses: [Int] = []
            for name in 0..<12 {
                statuses.append(
                    try await server.ask("POST", "/api/v1/stores/bell/reset", headers: ["X-Weir-Actor: n\(name)"])
                        .status)
            }
            #expect(statuses.count { $0 == 200 } == 8 && statuses.count { $0 == 429 } == 4)
        }
    }

    @Test func `a state that is put into a store is smaller than other bodies may be`() async throws {
        var configuration = WebConfiguration()
        configuration.maximumStateBytes = 1_000
        try await TestServer.run(configuration: configuration, bell: true) { server in
            let long = #"{"rings":1,"by":""# + String(repeating: "a", count: 1_000) + #""}"#
            let answer = try await server.ask(
                "PUT", "/api/v1/stores/bell/state", headers: ["Content-Type: application/json"], body: long)
            #expect(answer.status == 413)
            #expect(try server.board.store("bell").log.count == 1)
        }
    }
}
