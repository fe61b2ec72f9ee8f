import Testing
import TestSupport
import WeirFlows
import WeirJournals
import WeirOperations
import WeirStates
@testable import WeirBoards

/// Operations come, change and go while a board is open.
@Suite(.timeLimit(.minutes(15))) struct ReplacedCatalogTests {
    private func catalog(
        _ operations: [(String, TestOperation)], lifetime: Lifetime = .onDemand
    ) -> Catalog {
        var catalog = Catalog()
        for (id, operation) in operations {
            catalog.add(operation, id: id, title: id, summary: "A test.", lifetime: lifetime)
            catalog.declare(id, by: OperationDeclaration(text: "1", digest: "1"))
        }
        return catalog
    }

    @Test func `a new operation can be started and followed, and one that is gone cannot`() async throws {
        let fixture = try await BoardFixture.open(["old": .quick])
        let board = fixture.board
        _ = try await board.start("old", input: [:], actor: "a")
        try await fixture.ended()
        try await board.replace(catalog([("new", .quick)]))
        #expect(board.feed.board.operations.map(\.id) == ["new"])
        #expect(board.feed.board.recentRuns.count == 1, "what has happened stays")
        let error = await #expect(throws: BoardError.self) {
            try await board.start("old", input: [:], actor: "a")
        }
        #expect(error?.code == .unknownOperation)
        let receipt = try await board.start("new", input: [:], actor: "a")
        try await fixture.published(.operation("new")) { $0.change.state.phase.isEnded }
        #expect(board.feed.board.operation("new")?.latest?.record.id == receipt.run)
        await board.shutdown()
    }

    @Test func `who looks at a new operation has missed nothing, though older changes have left memory`() async throws {
        let fixture = try await BoardFixture.open(["old": .quick]) {
            $0.retention = nil
            $0.tailLimit = 1
        }
        let board = fixture.board
        let run = try await board.start("old", input: [:], actor: "a").run
        await board.outcome(of: run)
        #expect(board.feed.floor(of: .board) > 0)
        try await board.replace(catalog([("new", .quick)]))
        guard case .none = board.feed.slice(of: .operation("new"), after: 0, limit: 9) else {
            return #expect(Bool(false), "its page is told of a gap")
        }
        await board.shutdown()
    }

    @Test func `an operation that returns has its runs again, also the one that went on meanwhile`() async throws {
        let fixture = try await BoardFixture.open(["job": .endless])
        let board = fixture.board
        let receipt = try await board.start("job", input: [:], actor: "a")
        try await board.replace(Catalog())
        try await board.replace(catalog([("job", .quick)]))
        let view = try #require(board.feed.board.operation("job"))
        #expect(view.latest?.record.id == receipt.run)
        #expect(view.activeRuns == 1)
        _ = try await board.cancel(receipt.run, actor: "a")
        try await fixture.ended()
        #expect(board.feed.board.operation("job")?.activeRuns == 0)
        await board.shutdown()
    }

    @Test func `a run goes on as it began when its operation changes`() async throws {
        let gate = Gate()
        let say = { @Sendable (word: String) in
            TestOperation { _, state in
                try await gate.pass()
                state.value = .success(text: word)
            }
        }
        let fixture = try await BoardFixture.open(["job": say("before")])
        let first = try await fixture.board.start("job", input: [:], actor: "a")
        try await fixture.board.replace(catalog([("job", say("after"))]))
        let second = try await fixture.board.start("job", input: [:], actor: "a")
        gate.open()
        for run in [first, second] { await fixture.board.outcome(of: run.run) }
        #expect(try await fixture.board.run(first.run).state.payload["text"]?.string == "before")
        #expect(try await fixture.board.run(second.run).state.payload["text"]?.string == "after")
        await fixture.board.shutdown()
    }

    @Test func `of what runs while watched only what changes begins anew, and what is gone ends`() async throws {
        let fixture = try await BoardFixture.open()
        let board = fixture.board
        var operations = catalog(
            [("other", .endless), ("watched", .endless)], lifetime: .whileWatched(stopAfter: .seconds(5)))
        try await board.replace(operations)
        let elsewhere = board.watch(.operation("other"))
        let other = try await fixture.published { $0.change.draft.opening != nil }
        let watch = board.watch(.operation("watched"))
        let first = try await fixture.published(after: other.change.sequence) { $0.change.draft.opening != nil }
        operations.declare("watched", by: OperationDeclaration(text: "2", digest: "2"))
        try await board.replace(operations)
        let second = try await fixture.published(after: first.change.sequence) { $0.change.draft.opening != nil }
        #expect(second.change.subject == "watched")
        #expect(second.run?.record.id != first.run?.record.id)
        try await board.replace(Catalog())
        try await fixture.published { $0.run?.record.id == second.run?.record.id && $0.change.state.phase.isEnded }
        for watch in [watch, elsewhere] { watch.release() }
        await board.shutdown()
    }

    @Test func `schedules begin and end with their operations`() async throws {
        let fixture = try await BoardFixture.open()
        var scheduled = Catalog()
        scheduled.add(
            TestOperation.quick, id: "job", title: "job", summary: "A test.", schedule: try Schedule(cron: "@daily"))
        try await fixture.board.replace(scheduled)
        #expect(fixture.board.schedules().map(\.operation) == ["job"])
        try await fixture.board.replace(Catalog())
        #expect(fixture.board.schedules().isEmpty)
        await fixture.board.shutdown()
    }
}
