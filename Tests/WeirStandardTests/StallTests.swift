import Foundation
import Testing
import TestSupport
import WeirFlows
import WeirOperations
import WeirStates

@testable import WeirStandard

/// Peers that accept a request and do not end: one deadline covers the whole exchange, and cancelling ends it at once.
@Suite(.timeLimit(.minutes(15)))
struct StallTests {
    /// Where a peer stops.
    enum Stall: String, CaseIterable, Sendable {
        case beforeHeader, inHeader, afterHeader, inBody, drips, inHeaderDripping

        var behaviour: LoopbackServer.Behaviour {
            switch self {
            case .beforeHeader: .stay("")
            case .inHeader: .stay("HTTP/1.1 200 OK\r\nContent-Le")
            case .afterHeader: .stay("HTTP/1.1 200 OK\r\nContent-Length: 900000\r\n\r\n")
            case .inBody: .stay("HTTP/1.1 200 OK\r\nContent-Length: 900000\r\n\r\n{\"a\": ")
            case .drips: .drip("HTTP/1.1 200 OK\r\nContent-Length: 900000\r\n\r\n")
            case .inHeaderDripping: .drip("HTTP/1.1 200 OK\r\nX-Name: ")
            }
        }

        /// The step in which the time is up, and how many bytes of the body have arrived at least by then.
        var step: HTTPStep { [.afterHeader, .inBody, .drips].contains(self) ? .receiving : .waiting }
        var bytes: Int64 { self == .inBody ? 6 : self == .drips ? 3 : 0 }
    }

    private func server(_ stall: Stall) async throws -> LoopbackServer {
        try await LoopbackServer { _, _ in stall.behaviour }
    }

    private func environment(_ clock: ManualClock) -> OperationEnvironment {
        OperationEnvironment(clock: clock, outgoing: .loopback)
    }

    /// Runs a body when the exchange is where the peer stalls.
    private func exchange(
        with stall: Stall, _ clock: ManualClock, _ body: @Sendable (Task<HTTPAnswer, any Error>) async -> Void
    ) async throws -> Result<HTTPAnswer, any Error> {
        let server = try await server(stall)
        let (stalled, exchange) = (MutableStateFlow(false), HTTPExchange(environment: environment(clock)))
        let request = HTTPExchange.Request(
            url: server.url, keeping: 1_000, limit: 1_000_000, timeout: .seconds(30))
        let work = Task {
            try await exchange.perform(request) { event in
                switch event {
                case .receiving(_, let bytes, _) where bytes >= stall.bytes: stalled.value = true
                case .waiting where stall.step == .waiting: stalled.value = true
                default: break
                }
            }
        }
        _ = await stalled.first { $0 }
        await clock.sleeper(of: .seconds(30))
        await body(work)
        return await work.result
    }

    @Test(arguments: Stall.allCases)
    func `one deadline covers an exchange to the end of the body`(stall: Stall) async throws {
        let clock = ManualClock()
        let result = try await exchange(with: stall, clock) { _ in clock.end(.seconds(30)) }
        #expect(throws: HTTPFailure.timedOut(during: stall.step, after: .seconds(30))) { try result.get() }
    }

    @Test(arguments: Stall.allCases)
    func `an exchange that is cancelled ends though its peer stalls`(stall: Stall) async throws {
        let result = try await exchange(with: stall, ManualClock()) { $0.cancel() }
        #expect(throws: CancellationError.self) { try result.get() }
    }

    @Test func `an exchange that is cancelled during a TLS handshake does not wait for its peer`() async throws {
        let server = try await LoopbackServer { _, _ in .stay("") }
        let exchange = HTTPExchange(environment: environment(ManualClock()))
        let request = HTTPExchange.Request(
            url: "https://127.0.0.1:\(server.port)/", keeping: 1_000, limit: 1_000, timeout: .seconds(30))
        let work = Task { try await exchange.perform(request) { _ in } }
        _ = await server.requests.first { !$0.isEmpty }
        work.cancel()
        // The connection itself is given up 10 s after it was begun.
        let result = await soon(within: .seconds(5)) { await work.result }
        #expect(throws: CancellationError.self) { try #require(result).get() }
    }

    @Test(arguments: Stall.allCases)
    func `a question about who is in space ends in an error when the service stalls`(stall: Stall) async throws {
        let (clock, server) = (ManualClock(), try await server(stall))
        let run = try Watched(
            PeopleInSpace(.init(url: server.url, timeout: .seconds(10)), environment: environment(clock)), NoInput())
        await clock.sleeper(of: .seconds(10))
        _ = await server.requests.first { !$0.isEmpty }
        clock.end(.seconds(10))
        guard case .error(let message)? = await run.states().last else {
            Issue.record("The question did not fail.")
            return
        }
        #expect(message.contains("within 10 s"))
    }

    @Test func `an answer without end is cut off at the limit, for each kind of request`() async throws {
        let server = try await LoopbackServer { _, _ in .endless }
        let environment = environment(ManualClock())
        let outgoing = OutgoingRequest("GET", server.url, timeout: .seconds(30), environment: environment)
        #expect(try await outgoing.send(output: .discarding) { _ in }.isWhole == false)
        let post = HTTPPost(environment: environment)
        #expect(try await post.send("", to: server.url, headers: [:], timeout: .seconds(30)).status == 200)
        await #expect(throws: HTTPFailure.tooLong(limit: 1_000)) {
            try await HTTPExchange(environment: environment).fetch(server.url, limit: 1_000, timeout: .seconds(30)) {
                $0.count
            }
        }
    }
}
