import Testing
import TestSupport
import WeirBoards
import WeirFlows
import WeirJournals
import WeirPostgres

@testable import WeirFiles

/// Messages where several servers share a journal: the one that records sends them.
@Suite(.timeLimit(.minutes(15)))
struct TakingOverTests {
    private func journal(_ url: String, _ id: String) async throws -> PostgresJournal {
        try await PostgresJournal.open(url, configuration: .init(node: PostgresNode(id: id, name: id)))
    }

    @Test func `a server that takes the place of another tells of what that had not told of, and of nothing twice`()
        async throws
    {
        let receiver = try await Receiver()
        let url = try PostgresServer.shared.get().database()
        let (first, second) = (try await journal(url, "a"), try await journal(url, "b"))
        let recording = try await Fixture([try .webhook(receiver.url)], journal: first)
        let following = try await Fixture([try .webhook(receiver.url)], journal: second)
        let told = try await recording.run(failing: "Told.")
        _ = try await recording.delivery { $0.status == .delivered }
        await recording.stop()
        let untold = try await recording.run(failing: "Not told.")
        await recording.board.shutdown()
        await first.close()
        _ = await following.board.currentRole.first { $0 == .recording }
        try await until {
            receiver.requests.value.count >= 2
        } otherwise: {
            following.clock.advance(by: .seconds(5))
        }
        let last = try await following.run(failing: "Told by the other.")
        try await until {
            receiver.requests.value.count >= 3
        } otherwise: {
            following.clock.advance(by: .seconds(5))
        }
        let ids = receiver.requests.value.map { $0.headers["x-weir-delivery"] }
        #expect(ids == [told, untold, last].map { "\($0)-1" })
        await following.stop()
        await following.board.shutdown()
        await second.close()
    }

    @Test func `a server that begins where another stopped tells of what that had not told of, and of no more`()
        async throws
    {
        let receiver = try await Receiver()
        let rules = [try NotificationRule.webhook(receiver.url)]
        let url = try PostgresServer.shared.get().database()
        let first = try await journal(url, "a")
        let before = try await Fixture(rules, journal: first)
        let told = try await before.run(failing: "Told.")
        _ = try await before.delivery { $0.status == .delivered }
        await before.stop()
        let untold = try await before.run(failing: "Not told.")
        await before.board.shutdown()
        await first.close()
        let second = try await journal(url, "b")
        let after = try await Fixture(rules, journal: second, isRunning: false)
        _ = await after.board.currentRole.first { $0 == .recording }
        // Only now, so that it has never been one that follows.
        let notifier = after.makeNotifier()
        let work = Task { await notifier.run() }
        try await until {
            receiver.requests.value.count >= 2
        } otherwise: {
            after.clock.advance(by: .seconds(5))
        }
        #expect(receiver.requests.value.map { $0.headers["x-weir-delivery"] } == [told, untold].map { "\($0)-1" })
        work.cancel()
        await work.value
        await after.board.shutdown()
        await second.close()
    }
}
