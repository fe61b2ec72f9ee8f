import Testing
import TestSupport
import WeirJournals

@testable import WeirPostgres

/// Several servers on one database.
@Suite(.timeLimit(.minutes(15))) struct SharingTests {
    private func open(_ url: String, _ id: String) async throws -> PostgresJournal {
        try await PostgresJournal.open(
            url, configuration: .init(patience: .seconds(60), node: PostgresNode(id: id, name: "server \(id)")),
            now: { .test(0) })
    }

    private func recording(_ journal: PostgresJournal) async throws -> JournalNode? {
        try await journal.beat(NodeStanding(), forgetting: []).first(where: \.isRecording)
    }

    // K12
    @Test func `a second server follows the first, and hears of what that records`() async throws {
        let url = try PostgresServer.shared.get().database()
        let (first, second) = (try await open(url, "a"), try await open(url, "b"))
        #expect(first.isRecording)
        #expect(!second.isRecording)
        #expect(second.epoch == first.epoch)
        #expect(try await code { try await second.append([.opening("b")]) } == .locked)
        _ = try await second.beat(NodeStanding(), forgetting: [])
        _ = try await first.beat(NodeStanding(), forgetting: [])
        try await second.nextNotice()  // The connection is new.
        _ = try await first.append([.opening("a")])
        // A notice ends the wait; after a second it would end without one, and the change would be there as well.
        try await second.nextNotice()
        #expect(try await second.changes(of: .board, after: 0, through: nil, limit: 10).map(\.sequence) == [1])
        _ = try await first.appendOutput(
            run: "a", lines: [.init(at: .test(1), text: "x"), .init(at: .test(1), text: "y")], after: nil)
        #expect(try await second.outputCounts(of: ["a", "b"]) == ["a": 2])
        await second.close()
        await first.close()
    }

    @Test func `servers describe themselves to each other`() async throws {
        let url = try PostgresServer.shared.get().database()
        let (first, second) = (try await open(url, "a"), try await open(url, "b"))
        var standing = NodeStanding()
        (standing.head, standing.runs, standing.viewers, standing.watched) = (7, 2, 3, ["iss"])
        _ = try await second.beat(standing, forgetting: [])
        let nodes = try await first.beat(NodeStanding(), forgetting: [])
        #expect(nodes.map(\.name) == ["server a", "server b"])
        #expect(nodes.map(\.isRecording) == [true, false])
        #expect(nodes.last?.standing == standing)
        #expect(try await first.beat(NodeStanding(), forgetting: ["b"]).map(\.id) == ["a"])
        await second.close()
        await first.close()
    }

    @Test func `the place of a server that leaves is free at once`() async throws {
        let url = try PostgresServer.shared.get().database()
        let (first, second) = (try await open(url, "a"), try await open(url, "b"))
        _ = try await first.append([.opening("a")])
        #expect(try await second.takeOver(from: nil) == false)
        await first.close()
        #expect(try await recording(second) == nil)
        // The database needs a moment to see that the connection is closed.
        try await until { try await second.takeOver(from: nil) }
        #expect(try await second.append([.step("a", 1)]).map(\.sequence) == [2])
        await second.close()
    }

    // K12
    @Test func `a silent server is replaced, and records nothing any more when it wakes`() async throws {
        let url = try PostgresServer.shared.get().database()
        let (first, second) = (try await open(url, "a"), try await open(url, "b"))
        _ = try await first.append([.opening("a")])
        let silent = try #require(try await recording(second))
        // Its connection is ended, which takes the database a moment.
        try await until { try await second.takeOver(from: silent) }
        #expect(try await recording(second)?.id == "b")
        #expect(try await second.append([.step("a", 1)]).map(\.sequence) == [2])
        #expect(try await code { try await first.append([.step("a", 1)]) } == .locked)
        #expect(try await code { try await first.verify() } == .locked)
        await first.close()
        #expect(try await recording(second)?.id == "b")
        await second.close()
    }

    @Test func `a server that has said something since is not replaced`() async throws {
        let url = try PostgresServer.shared.get().database()
        let (first, second) = (try await open(url, "a"), try await open(url, "b"))
        let seen = try #require(try await recording(second))
        _ = try await first.beat(NodeStanding(), forgetting: [])
        #expect(try await second.takeOver(from: seen) == false)
        _ = try await first.append([.opening("a")])
        await second.close()
        await first.close()
    }

    @Test func `only the server that is silent is replaced, and no other that records by now`() async throws {
        let url = try PostgresServer.shared.get().database()
        let (first, second) = (try await open(url, "a"), try await open(url, "b"))
        let seen = try #require(try await recording(second))
        let other = JournalNode(id: "c", name: "server c", beat: seen.beat, isRecording: true, standing: NodeStanding())
        // The first try would only end its connection.
        for _ in 0..<20 { #expect(try await second.takeOver(from: other) == false) }
        #expect(try await first.append([.opening("a")]).map(\.sequence) == [1])
        #expect(try await recording(second)?.id == "a")
        await second.close()
        await first.close()
    }

    @Test func `what is recorded together is told once, and nothing is told while nothing is recorded`() async throws {
        let url = try PostgresServer.shared.get().database()
        let (first, second) = (try await open(url, "a"), try await open(url, "b"))
        _ = try await second.beat(NodeStanding(), forgetting: [])
        _ = try await first.beat(NodeStanding(), forgetting: [])
        let listening = try PostgresServer.connection(url)
        try listening.execute("LISTEN \(PostgresPulse.Channel.changes.rawValue)")
        _ = try await first.append([.opening("a")])
        #expect(try listening.hasNotice(within: .seconds(30), until: Interruption()))
        // Notices are ten milliseconds apart, if there are more.
        #expect(try !listening.hasNotice(within: .milliseconds(200), until: Interruption()))
        await second.close()
        await first.close()
    }

    @Test func `a server that was killed records at once when it is started again, before others may`() async throws {
        let url = try PostgresServer.shared.get().database()
        let first = try await open(url, "a")
        await first.writer.close()
        let again = try await open(url, "a")
        #expect(again.isRecording)
        #expect(try await code { try await first.append([.opening("a")]) } == .unavailable)
        await first.close()
        await again.close()
    }

    @Test func `only a report that others were ahead of is judged again, and none that is refused for good`() {
        func isJudgedAgain(_ state: String) -> Bool { JournalError.of(PostgresFailure(state, "no")).isOvertaken }
        #expect(isJudgedAgain(PostgresState.overtaken))
        for state in [PostgresState.fenced, PostgresState.unknownRun, PostgresState.noPlaceLeft, "53100"] {
            #expect(!isJudgedAgain(state), "\(state)")
        }
    }

    @Test func `a notice of another server ends the wait for it, and without one the time does`() throws {
        let url = try PostgresServer.shared.get().database()
        let (listening, other) = (try PostgresServer.connection(url), try PostgresServer.connection(url))
        try listening.execute("LISTEN news")
        #expect(try !listening.hasNotice(within: .milliseconds(1), until: Interruption()))
        try other.execute("NOTIFY news")
        #expect(try listening.hasNotice(within: .seconds(30), until: Interruption()))
        #expect(try !listening.hasNotice(within: .milliseconds(1), until: Interruption()))
    }

    @Test func `a server whose connection has nothing else to do waits on it for others`() async throws {
        let url = try PostgresServer.shared.get().database()
        let worker = PostgresWorker(try PostgresAddress(url), name: "test", timeout: AnswerTimeout(.seconds(30))) { _ in
        }
        #expect(try await worker.wait { _ in true })
        await worker.close()
    }
}
