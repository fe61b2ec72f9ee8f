import Foundation
import Testing
import WeirBoards
import WeirFlows
import WeirStandard
@testable import WeirFiles

/// What is said of a program that was to pass a message on and was ended.
@Suite(.timeLimit(.minutes(15)))
struct CommandMessageTests {
    private let clock = VirtualClock()
    private let facts = NotificationFacts(
        delivery: "x-1", event: .failed, operation: "job", title: "A job", actor: "Ana", endedAt: 0)

    private func send(_ script: String) async throws -> NotificationSender.Outcome {
        let sender = NotificationSender(
            environment: OperationEnvironment(clock: clock),
            commandEnvironment: .init(
                folder: URL(filePath: "/"), environment: ["PATH": "/usr/bin:/bin"], helper: try CommandHelper())
        ) { _ in nil }
        let words = try ["/bin/sh", "-c", script].map { try PathTemplate($0) }
        return try await sender.send(
            facts, by: NotificationRule(name: "1", events: [.failed], channel: .command(words)))
    }

    @Test func `a program that takes too long is stopped, and it is said that it took too long`() async throws {
        async let outcome = send("exec sleep 600")
        _ = await clock.sleepers.first { $0 >= 1 }
        clock.advance(by: NotificationSender.timeout)
        #expect(try await outcome == .again("The program took longer than 30 s and was stopped."))
    }

    @Test func `a program that somebody else ends is not said to have taken too long`() async throws {
        #expect(try await send("kill -TERM $$") == .again("The program was ended by SIGTERM"))
    }
}
