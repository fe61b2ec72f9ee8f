import Testing
import TestSupport
@testable import WeirAccess
import WeirFlows
import WeirJournals
import WeirOperations
import WeirStates

@testable import WeirBoards

/// What one audience may not see is nowhere on its board, whichever way it is reached.
@Suite(.timeLimit(.minutes(15))) struct VisibleBoardTests {
    /// What a role on operations of certain ids may do.
    static func permissions(
        _ verbs: [Verb], operations: [String], stores: [String] = [], of board: Board
    ) -> Permissions {
        let selection = SubjectSelection(
            operations: operations.compactMap { IDPattern($0) }, stores: stores.compactMap { IDPattern($0) })
        let rules = AccessRules(
            roles: [Role("some", verbs: VerbSet(verbs), selection: selection)],
            grants: [RoleGrant(RoleAssignment("some"), to: [.signedIn])])
        let subjects =
            board.catalog.entries.map { Subject(.operation($0.id)) }
            + board.catalog.stores.map { Subject(.store($0.id)) }
        return rules.permissions(of: Principal(.person, name: "Ana"), on: subjects)
    }

    private func run(_ operation: String, on board: Board) async throws -> String {
        let id = try await board.start(operation, input: [:], actor: "tester").run
        await board.outcome(of: id)
        return id
    }

    private func error(_ body: () async throws -> Void) async -> BoardError? {
        do { try await body() } catch { return error as? BoardError }
        return nil
    }

    @Test func `the board's head moves with what may be seen, and with nothing else`() async throws {
        let fixture = try await BoardFixture.open(
            ["mine": .quick, "other": .quick], stores: ["tally": Tally(), "secret": Tally()])
        let board = fixture.board
        _ = try await run("mine", on: board)
        let visible = try await VisibleBoard(
            board, for: Self.permissions([.see], operations: ["mine"], stores: ["tally"], of: board))
        let head = visible.feed.head(of: .board)
        #expect(head == board.feed.head(of: .board))
        let told = Locked<[SequenceNumber]>([])
        let observation = visible.feed.observe(.board, after: head) { head in told.withLock { $0.append(head) } }
        defer { observation.cancel() }
        let hidden = try await run("other", on: board)
        #expect(visible.feed.head(of: .board) == head)
        #expect(visible.feed.sees(.board))
        #expect(visible.view().sequence == head)
        #expect(told.withLock { $0 }.isEmpty)
        if case .none = visible.feed.slice(of: .board, after: head, limit: 10) {} else { Issue.record("there is more") }
        for topic in [Topic.operation("other"), .run(hidden), .output(hidden), .store("secret")] {
            #expect(visible.feed.head(of: topic) == 0, "\(topic)")
            #expect(!visible.feed.sees(topic), "\(topic)")
        }
        #expect(visible.feed.publication(at: board.feed.head(of: .board)) == nil)

        let mine = try await run("mine", on: board)
        #expect(visible.feed.head(of: .board) == board.feed.head(of: .board))
        #expect(told.withLock { $0.last } == board.feed.head(of: .board))
        guard case .some(let publications, false) = visible.feed.slice(of: .board, after: head, limit: 100) else {
            Issue.record("there is nothing")
            return
        }
        #expect(publications.allSatisfy { $0.run?.record.id == mine })
        #expect(publications.allSatisfy { $0.board.operations.map(\.id) == ["mine"] })
        #expect(publications.allSatisfy { $0.board.stores.map(\.id) == ["tally"] })
        #expect(publications.allSatisfy { $0.board.recentRuns.allSatisfy { $0.record.operation == "mine" } })
        await board.shutdown()
    }

    @Test func `the newest runs are as many as others have, though theirs are newer`() async throws {
        let fixture = try await BoardFixture.open(["mine": .quick, "other": .quick])
        let board = fixture.board
        var mine: [String] = []
        for _ in 0..<30 { mine.append(try await run("mine", on: board)) }
        for _ in 0..<30 { _ = try await run("other", on: board) }
        let visible = try await VisibleBoard(board, for: Self.permissions([.see], operations: ["mine"], of: board))
        #expect(visible.view().recentRuns.map(\.record.id) == mine.suffix(25).reversed())
        #expect(board.view().recentRuns.allSatisfy { $0.record.operation == "other" })
        let newest = try await run("mine", on: board)
        #expect(visible.view().recentRuns.map(\.record.id) == [newest] + mine.suffix(24).reversed())
        board.feed.forget([newest])
        #expect(visible.view().recentRuns.map(\.record.id) == mine.suffix(24).reversed())
        await board.shutdown()
    }

    @Test func `a run that may not be seen is unknown, in the words for one that never was`() async throws {
        let fixture = try await BoardFixture.open(["mine": .quick, "other": .quick])
        let board = fixture.board
        let (seen, hidden) = (try await run("mine", on: board), try await run("other", on: board))
        let visible = try await VisibleBoard(
            board, for: Self.permissions([.see, .start, .cancel, .export], operations: ["mine"], of: board))
        let questions: [(String) async throws -> Void] = [
            { _ = try await visible.run($0) }, { _ = try await visible.run($0, at: 3) },
            { _ = try await visible.moment(of: $0, at: 3) }, { _ = try await visible.sequence(of: $0, after: 0) },
            { _ = try await visible.outputTail(of: $0) }, { _ = try await visible.output(of: $0, limit: 1) },
            { _ = try await visible.comparison(of: $0, with: seen) },
            { _ = try await visible.comparison(of: seen, with: $0) }, { _ = try await visible.lastSuccess(before: $0) },
            { _ = try await visible.changes(of: .run($0), after: nil, limit: 1) },
            { _ = try await visible.cancel($0, actor: "Ana") }, { _ = try await visible.retry($0, actor: "Ana") },
            { _ = try await visible.export($0) { _ in } },
        ]
        for (index, ask) in questions.enumerated() {
            let answer = await error { try await ask(hidden) }
            let unknown = await error { try await ask("nothere") }
            #expect(answer?.code == .unknownRun, "\(index)")
            #expect(
                answer?.description.replacing(hidden, with: "") == unknown?.description.replacing("nothere", with: ""),
                "\(index)")
            #expect(answer?.fields == unknown?.fields, "\(index)")
        }
        // One who sees everything is told the truth.
        #expect(await error { _ = try await VisibleBoard(whole: board).run("nothere") }?.code == .unknownRun)
        await board.shutdown()
    }

    @Test func `lists, searches, counts, changes and exports hold what may be seen`() async throws {
        let fixture = try await BoardFixture.open(["mine": .quick, "other": .quick]) {
            $0.retention = nil
            $0.tailLimit = 4
        }
        let board = fixture.board
        for _ in 0..<5 {
            _ = try await run("other", on: board)
            _ = try await run("mine", on: board)
        }
        _ = try await run("other", on: board)
        let visible = try await VisibleBoard(
            board, for: Self.permissions([.see, .export], operations: ["mine"], of: board))
        #expect(try await visible.runs(RunQuery()).runs.map(\.operation) == Array(repeating: "mine", count: 5))
        #expect(try await visible.runs(RunQuery(operation: "other")).runs.isEmpty)
        #expect(try await visible.runs(RunQuery(text: "success")).runs.allSatisfy { $0.operation == "mine" })
        #expect(try await visible.counts().map(\.operation) == ["mine"])
        #expect(visible.catalog.entries.map(\.id) == ["mine"])
        var cursor: SequenceNumber?
        var changes: [Change] = []
        while true {
            let slice = try await visible.changes(of: .board, after: cursor, limit: 4)
            changes += slice.changes
            #expect(slice.to <= visible.feed.head(of: .board))
            cursor = slice.to
            guard slice.more else { break }
        }
        #expect(changes.allSatisfy { $0.subject == "mine" })
        #expect(changes.count == (try await fixture.cases(of: .operation("mine"))).count)
        #expect(changes.map(\.sequence) == changes.map(\.sequence).sorted())
        // Whoever has read all goes on behind it, and what has left memory can be had all the same.
        #expect(cursor == visible.feed.head(of: .board))
        #expect(try await visible.floor(of: .board) == 0 && visible.feed.floor(of: .board) > 0)
        var lines: [String] = []
        _ = try await visible.export(RunQuery()) { lines.append($0) }
        #expect(!lines.contains { $0.contains("other") })
        #expect(
            await error { _ = try await visible.changes(of: .operation("other"), after: nil, limit: 1) }?.code
                == .unknownOperation)
        #expect(await error { _ = try await visible.moment(ofOperation: "other", at: 3) }?.code == .unknownOperation)
        await board.shutdown()
    }

    @Test func `what may be seen and not done is refused`() async throws {
        let fixture = try await BoardFixture.open(["mine": .endless], stores: ["tally": Tally()])
        let board = fixture.board
        let run = try await board.start("mine", input: [:], actor: "tester").run
        try await fixture.published(.run(run)) { $0.change.state.caseName == "working" }
        let visible = try await VisibleBoard(
            board, for: Self.permissions([.see], operations: ["mine"], stores: ["tally"], of: board))
        let head = board.feed.head(of: .board)
        let commands: [() async throws -> Void] = [
            { _ = try await visible.start("mine", input: [:], actor: "Ana") },
            { _ = try await visible.cancel(run, actor: "Ana") }, { _ = try await visible.retry(run, actor: "Ana") },
            { _ = try await visible.export(run) { _ in } },
            { _ = try await visible.dispatch(["type": "add"], to: "tally", actor: "Ana") },
            { _ = try await visible.rehydrate("tally", state: [:], actor: "Ana") },
            { _ = try await visible.returnTo("tally", sequence: 1, actor: "Ana") },
            { _ = try await visible.reset("tally", actor: "Ana") }, { _ = try await visible.importRuns { { nil } } },
            { _ = try await visible.dismissNotice("a") },
        ]
        for (index, command) in commands.enumerated() {
            #expect(await error(command)?.code == .notAllowed, "\(index)")
        }
        #expect(board.feed.head(of: .board) == head)
        await board.shutdown()
    }

    @Test func `watching the board begins only what the watcher may see`() async throws {
        let fixture = try await BoardFixture.open(
            ["mine": .endless, "other": .endless], lifetime: .whileWatched(stopAfter: .seconds(1)))
        let board = fixture.board
        let visible = try await VisibleBoard(board, for: Self.permissions([.see], operations: ["mine"], of: board))
        let none = try await VisibleBoard(board, for: Permissions.nothing)
        let (watch, idle, hidden) = (visible.watch(.board), none.watch(.board), visible.watch(.operation("other")))
        try await fixture.published(.operation("mine")) { $0.run?.record.operation == "mine" }
        #expect(board.view().operation("mine")?.activeRuns == 1)
        #expect(board.view().operation("other")?.activeRuns == 0)
        #expect(board.feed.head(of: .operation("other")) == 0)
        for watch in [watch, idle, hidden] { watch.release() }
        await board.shutdown()
    }

    @Test func `who has a link sees one run, and nothing around it`() async throws {
        let fixture = try await BoardFixture.open(["mine": .quick])
        let board = fixture.board
        let (first, second) = (try await run("mine", on: board), try await run("mine", on: board))
        let link = AccessRules().permissions(of: .link(id: "l", run: first), on: [])
        let visible = try await VisibleBoard(board, for: link)
        #expect(try await visible.run(first).record.id == first)
        #expect(visible.feed.head(of: .run(first)) > 0)
        #expect(visible.feed.head(of: .run(second)) == 0)
        #expect(visible.feed.head(of: .operation("mine")) == 0)
        #expect(visible.feed.head(of: .board) == 0)
        #expect(await error { _ = try await visible.run(second) }?.code == .unknownRun)
        #expect(await error { _ = try await visible.lastSuccess(before: second) }?.code == .unknownRun)
        #expect(try await visible.runs(RunQuery()).runs.isEmpty)
        #expect(visible.view().recentRuns.isEmpty)
        #expect(visible.catalog.entries.isEmpty)
        #expect(try await visible.pageCatalog().entries.map(\.id) == ["mine"])
        #expect(await error { _ = try await visible.retry(first, actor: "Ana") }?.code == .notAllowed)
        await board.shutdown()
    }

    @Test func `an audience that nobody belongs to any more leaves nothing behind`() async throws {
        let fixture = try await BoardFixture.open(["mine": .quick, "other": .quick])
        let board = fixture.board
        var visible: VisibleBoard? = try await VisibleBoard(
            board, for: Self.permissions([.see], operations: ["mine"], of: board))
        #expect(board.feed.projections.withLock { $0.count { $0.projection != nil } } == 1)
        #expect(visible != nil)
        visible = nil
        _ = try await run("other", on: board)
        #expect(board.feed.projections.withLock { $0.isEmpty })
        await board.shutdown()
    }

    @Test func `those who may see everything hear of what is no longer in the catalog, too`() async throws {
        let fixture = try await BoardFixture.open(["gone": .quick])
        _ = try await run("gone", on: fixture.board)
        let change = try #require(try await fixture.journal.changes(of: .board, after: 0, through: nil, limit: 1).first)
        #expect(Visibility(.everything, of: Catalog()).sees(change))
        #expect(!Visibility(.nothing, of: fixture.board.catalog).sees(change))
        await fixture.board.shutdown()
    }
}
