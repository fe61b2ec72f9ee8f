import NIOCore
import Testing
import TestSupport
import WeirAccess
import WeirBoards
import WeirJournals

@testable import WeirWeb

/// How many readers of streams may wait for news at once, and who of them waits while changes follow closely.
@Suite(.timeLimit(.minutes(15)))
struct StreamHoldTests {
    private static let tail = "/api/v1/streams/board?offset=now&live=long-poll"

    /// Somebody who may do everything.
    private static var admission: Admission {
        let somebody = FixedAuthenticator(.localOperator, control: AccessControl())
        return Admission(
            authorization: somebody.authorization,
            check: AccessCheck(control: somebody.control, isOpen: true) { _, _ in .askRoute })
    }

    @Test func `as many wait as may, and one more is asked to come again`() async throws {
        var configuration = WebConfiguration()
        configuration.maximumHolds = 1
        try await TestServer.run(configuration: configuration) { server in
            let first = try await server.connect()
            try await first.send("GET", Self.tail)
            try await server.untilHeld(1)
            let second = try await server.ask("GET", Self.tail)
            #expect(second.status == 503 && second["retry-after"] == "5")
            await first.close()
            try await server.untilHeld(0)
        }
    }

    @Test func `who waits with others is given one answer with them, written out once for all`() async throws {
        let clock = ManualClock()
        try await TestServer.run(clock: clock) { server in
            let responder = server.dashboard.streamResponder
            let request = StreamRequest(.feed(.board), start: .now, mode: .longPoll)
            let eventLoop = server.dashboard.eventLoopGroup.any()
            let told = Shared<[StreamAnswer]>([])
            for _ in 0..<2 {
                let reply = responder.read(request, of: Self.admission, on: eventLoop) { told.value.append($0) }
                guard case .held = reply else {
                    Issue.record("There is something to read before anything has happened.")
                    return
                }
            }
            _ = try await server.start()
            try await until({ told.value.count == 2 }, otherwise: { clock.advance(by: Topic.board.quiet) })
            #expect(told.value.allSatisfy { $0.message != nil })
        }
    }

    @Test func `who waits for news has a burst of them in one answer, and who reads what there is waits for nothing`()
        async throws
    {
        // Time stands still but for what the follower needs: the changes after that are of one moment.
        let clock = ManualClock()
        try await TestServer.run(clock: clock) { server in
            _ = try await server.start()
            let follower = try await server.connect()
            try await follower.send("GET", Self.tail)
            try await server.untilHeld(1)
            server.gate.step()
            try await server.untilLetGo(by: clock)
            #expect(try await follower.response().status == 200)
            let known = server.board.feed.head(of: .board)
            server.gate.step()
            try await until { server.board.feed.head(of: .board) > known }
            let responder = server.dashboard.streamResponder
            let place = StreamOffset(responder.answers.history, known)
            let admission = Self.admission
            func ask(_ mode: StreamRequest.Mode) -> StreamResponder.Reply {
                responder.read(
                    StreamRequest(.feed(.board), start: .after(place), mode: mode), of: admission,
                    on: server.dashboard.eventLoopGroup.any()
                ) { _ in }
            }
            guard case .answer = ask(.catchUp) else {
                Issue.record("Who reads what there is waits for more.")
                return
            }
            guard case .held(let held) = ask(.longPoll) else {
                Issue.record("Each change of a burst is an answer of its own.")
                return
            }
            #expect(responder.leave(held))
            await follower.close()
        }
    }
}
