import Synchronization
import Testing
import WeirFlows
import WeirStates

@testable import WeirCommand

@Suite(.timeLimit(.minutes(15)))
struct StreamFollowerTests {
    private final class Told: Sendable {
        let sentences = Mutex<[String]>([])
    }

    /// What is read of a stream until its end, which comes within ten answers.
    private func read(
        _ server: ScriptedServer, isLive: Bool, told: Told = Told()
    ) async throws -> [[JSONValue]] {
        try await server.with { client in
            var follower = StreamFollower(
                client, stream: "run-1", isLive: isLive, clock: VirtualClock(advancing: .onSleep)
            ) { sentence in told.sentences.withLock { $0.append(sentence) } }
            var all: [[JSONValue]] = []
            while all.count < 10, let messages = try await follower.next() { all.append(messages) }
            return all
        }
    }

    @Test func `a stream is read as far as it goes now, and then asked no more`() async throws {
        let server = try await ScriptedServer { number, _ in
            .init(
                headers: number == 1
                    ? ["Stream-Next-Offset": "a_1"] : ["Stream-Next-Offset": "a_2", "Stream-Up-To-Date": "true"],
                body: [.string("\(number)")])
        }
        #expect(try await read(server, isLive: false) == [["1"], ["2"]])
        #expect(server.requests.map(\.path) == ["/streams/run-1?offset=-1", "/streams/run-1?offset=a_1"])
    }

    @Test func `a live stream is waited for until it is closed, and then asked no more`() async throws {
        let server = try await ScriptedServer { number, _ in
            var headers = ["Stream-Next-Offset": "a_\(number)", "Stream-Up-To-Date": "true"]
            if number == 3 { headers["Stream-Closed"] = "true" }
            return .init(headers: headers, body: [.string("\(number)")])
        }
        #expect(try await read(server, isLive: true) == [["1"], ["2"], ["3"]])
        #expect(server.requests.count == 3)
    }

    @Test func `a stream whose server goes away for a while is read on, without a gap, and it is said so`()
        async throws
    {
        let told = Told()
        let server = try await ScriptedServer { number, _ in
            switch number {
            case 1: .init(headers: ["Stream-Next-Offset": "a_1"], body: ["1"])
            case 2, 3: .init(status: "503 Service Unavailable")
            default: .init(headers: ["Stream-Next-Offset": "a_2", "Stream-Closed": "true"], body: ["2"])
            }
        }
        #expect(try await read(server, isLive: true, told: told) == [["1"], ["2"]])
        #expect(server.requests.dropFirst().allSatisfy { $0.path.contains("offset=a_1&") })
        let sentences = told.sentences.withLock { $0 }
        #expect(sentences.count == 2)
        #expect(sentences.first?.hasSuffix("Trying again for ten minutes.") == true)
        #expect(sentences.last == "Connected again.")
    }

    @Test func `a server that does not answer at first is told at once`() async throws {
        let server = try await ScriptedServer { _, _ in .init(status: "503 Service Unavailable") }
        await #expect(throws: ClientError.self) { try await read(server, isLive: true) }
        #expect(server.requests.count == 1)
    }

    @Test func `a server that does not come back within ten minutes is given up, attempts included`() async throws {
        let clock = VirtualClock(advancing: .onSleep)
        let told = Told()
        let server = try await ScriptedServer { number, _ in
            guard number > 1 else { return .init(headers: ["Stream-Next-Offset": "a_1"], body: ["1"]) }
            // As long as a server that stays silent takes for each attempt.
            clock.advance(by: .seconds(25))
            return .init(status: "503 Service Unavailable")
        }
        let error = await #expect(throws: ClientError.self) {
            try await server.with { client in
                var follower = StreamFollower(client, stream: "run-1", isLive: true, clock: clock) { sentence in
                    told.sentences.withLock { $0.append(sentence) }
                }
                while try await follower.next() != nil {}
            }
        }
        #expect(error?.exitCode == 69)
        #expect(told.sentences.withLock { $0.count } == 1)
        #expect((.seconds(600) ..< .seconds(700)).contains(clock.now.offset))
    }
}
