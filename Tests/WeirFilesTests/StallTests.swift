import Testing
import TestSupport
import WeirFlows
import WeirOperations
import WeirStandard
import WeirStates

@testable import WeirFiles

/// Requests and feeds that files declare, to servers that stall.
@Suite(.timeLimit(.minutes(15)))
struct StallTests {
    private static let answers = [
        "", "HTTP/1.1 200 OK\r\nContent-Le", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n{\"a\r\n",
    ]

    /// A server that stops after some bytes; the flow says whether it was asked.
    private func server(_ answer: String) async throws -> (RequestListener, asked: MutableStateFlow<Bool>) {
        let asked = MutableStateFlow(false)
        let listener = try await RequestListener(hangsUp: false) { _ in
            asked.value = true
            return answer
        }
        return (listener, asked)
    }

    private func environment(_ clock: VirtualClock) -> OperationEnvironment {
        OperationEnvironment(
            clock: clock, random: { 1 },
            outgoing: OutgoingPolicy(allowing: ["127.0.0.0/8"].compactMap(OutgoingAllowance.init)))
    }

    @Test(arguments: answers)
    func `a request to a server that stalls fails after its time, and says so`(answer: String) async throws {
        let (clock, (server, asked)) = (VirtualClock(), try await server(answer))
        let definition = try FileTrial.definition(
            "{title: T, type: http, request: {method: GET, url: \"\(server.url)/\", timeout: 3s}}")
        let operation = try #require(RequestOperation(definition, in: environment(clock)))
        let run = try OperationRunner(operation).start(CommandInput([:]))
        await clock.sleepers(1)
        _ = await asked.first { $0 }
        clock.advance(by: .seconds(3))
        _ = await run.outcome()
        guard case .failed(let problem) = run.state.value else {
            Issue.record("The request did not fail.")
            return
        }
        #expect(problem.message.contains("within 3 s"))
    }

    @Test(arguments: answers)
    func `a request to a server that stalls can be cancelled`(answer: String) async throws {
        let (server, asked) = try await server(answer)
        let definition = try FileTrial.definition(
            "{title: T, type: http, request: {method: GET, url: \"\(server.url)/\"}}")
        let operation = try #require(RequestOperation(definition, in: environment(VirtualClock())))
        let run = try OperationRunner(operation).start(CommandInput([:]))
        _ = await asked.first { $0 }
        run.cancel(.actor("the test"))
        _ = await run.outcome()
        #expect(run.state.value == .cancelled)
    }

    @Test(arguments: answers)
    func `a feed whose server stalls fails after its time, and is asked again`(answer: String) async throws {
        let (clock, (server, asked)) = (VirtualClock(), try await server(answer))
        let definition = try FileTrial.definition("{title: T, type: feed, url: \"\(server.url)/\", every: 60s}")
        let feed = try #require(FeedOperation(definition, in: environment(clock)))
        let run = try OperationRunner(feed).start(CommandInput([:]))
        await clock.sleepers(1)
        _ = await asked.first { $0 }
        asked.value = false
        clock.advance(by: .seconds(30))
        guard case .active(_, let details)? = await run.state.first(where: { $0.name == "failing" }) else {
            Issue.record("The feed did not fail.")
            return
        }
        #expect(details.show?.contains("within 30 s") == true)
        await clock.sleepers(1)
        clock.advance(by: .seconds(60))
        _ = await asked.first { $0 }
        run.cancel(.actor("the test"))
        _ = await run.outcome()
    }
}
