import Testing
import TestSupport
import WeirFlows
import WeirJournals
import WeirStates

@testable import WeirBoards

@Suite(.timeLimit(.minutes(15))) struct HistoryTests {
    static let stepping = TestOperation { input, state in
        for step in 0..<5 {
            state.value = .working(step: step)
            await Task.yield()
            state.value = .resting(step: step)
        }
        if input.label == "bad" { throw CancellationError() }
        state.value = .success(text: input.label ?? "")
    }

    /// All that a page can be rendered from, comparable.
    struct RunSummary: Equatable {
        let record: RunRecord
        let transitions: [Transition]
        let omitted: Int
    }

    struct BoardSummary: Equatable {
        let sequence: SequenceNumber
        let operations: [String]
        let runs: [[RunSummary]]
    }

    func summary(_ run: RunView) -> RunSummary {
        RunSummary(record: run.record, transitions: run.transitions, omitted: run.omittedTransitions)
    }

    func summary(_ board: BoardView) -> BoardSummary {
        BoardSummary(
            sequence: board.sequence, operations: board.operations.map { "\($0.id) \($0.activeRuns)" },
            runs: (board.operations.map(\.recent) + [board.recentRuns]).map { $0.map(summary) })
    }

    /// A journal in which forty runs of two operations went on side by side, and the board that was live.
    func past() async throws -> BoardFixture {
        let fixture = try await BoardFixture.open(["one": Self.stepping, "two": Self.stepping])
        let board = fixture.board
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<40 {
                group.addTask {
                    let label: JSONValue = ["label": number % 5 == 0 ? "bad" : "good"]
                    let receipt = try await board.start(number % 3 == 0 ? "one" : "two", input: label, actor: "tester")
                    await board.outcome(of: receipt.run)
                }
            }
            try await group.waitForAll()
        }
        return fixture
    }

    // K8
    @Test func `folding the journal up to a change gives what was live at it`() async throws {
        let fixture = try await past()
        let last = fixture.board.feed.head(of: .board)
        #expect(last > 400)
        for sequence in 1...last {
            guard let live = fixture.board.feed.publication(at: sequence), let run = live.run else {
                return #expect(Bool(false), "\(sequence) is not in memory")
            }
            let folded = try await fixture.journal.view(of: run.record.id, through: sequence)
            #expect(folded.map(summary) == summary(run))
            #expect(summary(try await fixture.board.view(of: run.record.id, at: sequence)) == summary(run))
        }
    }

    // K8
    @Test(arguments: [1, 7, 60, 211, 10_000])
    func `a board opened on a journal has the same past as the one that was live`(tail: Int) async throws {
        let fixture = try await past()
        let reopened = try await BoardFixture.open(
            ["one": Self.stepping, "two": Self.stepping], on: JournalDouble(fixture.journal.inner)
        ) {
            $0.retention = nil
            $0.tailLimit = tail
        }
        #expect(summary(reopened.board.view()) == summary(fixture.board.view()))
        let last = fixture.board.feed.head(of: .board)
        let floor = reopened.board.feed.floor(of: .board)
        #expect(floor == last.advanced(by: -tail))
        for sequence in floor.next...last {
            let before = fixture.board.feed.publication(at: sequence)
            let after = reopened.board.feed.publication(at: sequence)
            #expect(before.map { summary($0.board) } == after.map { summary($0.board) })
        }
        for id in ["one", "two"] {
            #expect(reopened.board.feed.head(of: .operation(id)) == fixture.board.feed.head(of: .operation(id)))
        }
        let old = try await fixture.journal.runs(RunQuery(limit: 100)).runs
        for record in old {
            let run = try await reopened.board.view(of: record.id)
            #expect(summary(run) == summary(try await fixture.board.view(of: record.id)))
            guard case .none = reopened.board.feed.slice(of: .run(record.id), after: record.sequence, limit: 1) else {
                return #expect(Bool(false), "the cursor at the end of a run that was shown must be good")
            }
        }
    }

    // K4
    @Test func `runs that were going when the process died are interrupted once`() async throws {
        let journal = JournalDouble()
        let fixture = try await BoardFixture.open(["endless": .endless, "quick": .quick], on: journal)
        let quick = try await fixture.board.start("quick", input: [:], actor: "tester")
        await fixture.board.outcome(of: quick.run)
        let started = try await fixture.board.start("endless", input: [:], actor: "tester")
        try await fixture.published(.run(started.run)) { $0.change.state.caseName == "working" }
        for _ in 0..<3 {
            let next = try await BoardFixture.open(["endless": .endless, "quick": .quick], on: journal)
            let record = try await next.board.run(started.run)
            #expect(
                record.state == StateRecord(caseName: "interrupted", payload: ["last": "working"], phase: .interrupted))
            #expect(record.revision == 2 && record.cause == "the server stopped while this was running")
            #expect(try await next.cases(of: .run(quick.run)).last == "success")
            #expect(next.board.view().operation("endless")?.activeRuns == 0)
            #expect(next.board.feed.head(of: .board) == record.sequence)
        }
        let next = try await BoardFixture.open(["endless": .endless, "quick": .quick], on: journal)
        let again = try await next.board.retry(started.run, actor: "tester")
        #expect(try await next.board.run(again.run).opening.retryOf == started.run)
    }

    @Test func `changes come from memory where they are there, else from the journal, without a seam`() async throws {
        let fixture = try await past()
        let reopened = try await BoardFixture.open(
            ["one": Self.stepping, "two": Self.stepping], on: JournalDouble(fixture.journal.inner)
        ) {
            $0.retention = nil
            $0.tailLimit = 50
        }
        let reads = reopened.journal.reads
        let all = try await fixture.journal.changes(of: .operation("one"), after: 0, through: nil, limit: 10_000)
        var read: [Change] = []
        var cursor: SequenceNumber?
        while true {
            let slice = try await reopened.board.changes(of: .operation("one"), after: cursor, limit: 30)
            #expect(slice.from == cursor ?? 0 && slice.lost == nil)
            read += slice.changes
            cursor = slice.to
            if !slice.more { break }
        }
        while case let slice = try await reopened.board.changes(of: .operation("one"), after: cursor, limit: 30),
            !slice.changes.isEmpty
        {
            read += slice.changes
            cursor = slice.to
        }
        #expect(read == all)
        #expect(reopened.journal.reads > reads)
    }

    @Test func `old runs are pruned when the board opens, and then each hour`() async throws {
        let journal = JournalDouble()
        let clock = VirtualClock()
        let fixture = try await BoardFixture.open(["quick": .quick], on: journal, clock: clock) { _ in }
        await clock.sleepers(1)
        #expect(journal.prunes == 1)
        clock.advance(by: .seconds(3_600))
        await clock.sleepers(1)
        #expect(journal.prunes == 2)
        await fixture.board.shutdown()
        await clock.sleepers(atMost: 0)
    }

    @Test func `an operation's past is read from the journal with its runs as they stood then`() async throws {
        let fixture = try await past()
        let reopened = try await BoardFixture.open(
            ["one": Self.stepping, "two": Self.stepping], on: JournalDouble(fixture.journal.inner)
        ) {
            $0.retention = nil
            $0.tailLimit = 1
        }
        for sequence in stride(from: 1, to: fixture.board.feed.head(of: .board).rawValue, by: 7) {
            let live = try #require(fixture.board.feed.publication(at: SequenceNumber(clamping: sequence)))
            let then = try #require(live.board.operation(live.change.subject))
            let read = try await reopened.board.moment(ofOperation: then.id, at: live.change.sequence)
            #expect(read.change == live.change)
            #expect(read.operation.recent.map(\.record) == then.recent.map(\.record))
            #expect(read.operation.activeRuns == then.activeRuns)
            let newest = try #require(then.latest)
            #expect(read.operation.latest.map(summary) == summary(newest))
            #expect(read.newest.map(summary) == summary(try await fixture.board.view(of: newest.record.id)))
        }
        await reopened.board.shutdown()
    }
}
