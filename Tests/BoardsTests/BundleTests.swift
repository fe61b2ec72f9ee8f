import Flows
import Journals
import Operations
import States
import Synchronization
import Testing

@testable import Boards

@Suite(.timeLimit(.minutes(1))) struct BundleTests {
    private func lines(of board: Board, _ query: RunQuery = RunQuery()) async throws -> [String] {
        var lines: [String] = []
        _ = try await board.export(query) { lines.append($0) }
        return lines
    }

    private func take(_ lines: [String], _ board: Board) async throws -> ImportReport {
        try await board.importRuns {
            let rest = Mutex(lines[...])
            return { rest.withLock { $0.popFirst() } }
        }
    }

    private func run(_ operation: String, on board: Board) async throws -> String {
        let id = try await board.start(operation, input: [:], actor: "tester").run
        await board.outcome(of: id)
        return id
    }

    private func summary(_ board: BoardView) -> HistoryTests.BoardSummary { HistoryTests().summary(board) }

    // K10
    @Test
    func `imported runs are on the board at once, behind what was started here, as if it had been opened on them`()
        async throws
    {
        let there = try await Workbench.open(["quick": .quick, "other": .quick])
        for _ in 0..<12 { _ = try await run("quick", on: there.board) }
        let other = try await run("other", on: there.board)
        let bundle = try await lines(of: there.board)

        let journal = JournalDouble()
        let bench = try await Workbench.open(["quick": .quick, "other": .quick], on: journal)
        let mine = try await run("quick", on: bench.board)
        let before = bench.board.feed.head(of: .board)
        let seen = Locked<[Int64]>([])
        let observation = bench.board.feed.observe(.operation("other")) { head in seen.withLock { $0.append(head) } }
        defer { observation.cancel() }
        let report = try await take(bundle, bench.board)
        #expect(report.imported.count == 13)
        let head = bench.board.feed.head(of: .board)
        #expect(head == before + Int64(report.changes))
        #expect(seen.withLock { $0.last } == bench.board.feed.head(of: .operation("other")))
        let view = bench.board.view()
        #expect(view.operation("quick")?.latest?.record.id == mine)
        #expect(view.operation("quick")?.recent.count == 10)
        #expect(view.operation("other")?.latest?.record.id == other)
        #expect(view.recentRuns.first?.record.id == other)
        let next = try await run("quick", on: bench.board)
        #expect(try await bench.board.run(next).record.openedSequence == head + 1)
        for tail in [10_000, 3] {
            let reopened = try await Workbench.open(
                ["quick": .quick, "other": .quick], on: JournalDouble(journal.inner)
            ) {
                $0.retention = nil
                $0.tailLimit = tail
            }
            #expect(summary(reopened.board.view()) == summary(bench.board.view()))
        }
    }

    @Test func `what happens during an import is recorded after it, in order`() async throws {
        let there = try await Workbench.open(["quick": .quick])
        for _ in 0..<5 { _ = try await run("quick", on: there.board) }
        let bundle = try await lines(of: there.board)
        let bench = try await Workbench.open(["quick": .quick])
        async let report = take(bundle, bench.board)
        async let runs = withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<20 { group.addTask { try await self.run("quick", on: bench.board) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(try await report.imported.count == 5)
        #expect(try await runs.count == 20)
        let kept = try await bench.journal.changes(of: .board, after: 0, through: nil, limit: 1_000)
        var told: [Int64] = []
        for sequence in 1...bench.board.feed.head(of: .board) {
            if let publication = bench.board.feed.publication(at: sequence) { told.append(publication.change.sequence) }
        }
        #expect(told == kept.map(\.sequence))
        #expect(bench.board.view().operation("quick")?.activeRuns == 0)
    }

    // K4
    @Test func `a run that was still going there ends here as interrupted, once`() async throws {
        let there = try await Workbench.open(["endless": .endless])
        let id = try await there.board.start("endless", input: [:], actor: "tester").run
        try await there.published(.run(id)) { $0.change.state.caseName == "working" }
        let bundle = try await lines(of: there.board)
        let bench = try await Workbench.open(["endless": .endless])
        #expect(try await take(bundle, bench.board).unfinished == [id])
        let run = try await bench.board.run(id)
        #expect(run.record.state.phase == .interrupted)
        #expect(run.record.cause == JournalImport.cause)
        #expect(run.transitions.map(\.phase) == [.idle, .active, .interrupted])
        #expect(bench.board.view().operation("endless")?.activeRuns == 0)
        #expect(try await take(bundle, bench.board).skipped == [id])
        #expect(try await bench.board.run(id).record.revision == run.record.revision)
        await there.board.shutdown()
    }

    @Test func `what cannot be imported is refused in words that name the line, and nothing of it is shown`()
        async throws
    {
        let there = try await Workbench.open(["quick": .quick])
        let id = try await run("quick", on: there.board)
        let bundle = try await lines(of: there.board)
        let bench = try await Workbench.open(["quick": .quick])
        await #expect {
            _ = try await take(bundle.dropLast(), bench.board)
        } throws: { error in
            let error = error as? BoardError
            return error?.code == .malformedImport && error?.description.hasPrefix("Line \(bundle.count - 1): ") == true
        }
        #expect(bench.board.feed.head(of: .board) == 0)
        _ = try await take(bundle, bench.board)
        let head = bench.board.feed.head(of: .board)
        let others = bundle.map { $0.replacing("tester", with: "taster") }
        await #expect {
            _ = try await take(others, bench.board)
        } throws: { error in
            (error as? BoardError)?.code == .importConflict && (error as? BoardError)?.description.contains(id) == true
        }
        #expect(bench.board.feed.head(of: .board) == head)
        await #expect {
            _ = try await bench.board.export("nobody") { _ in }
        } throws: { ($0 as? BoardError)?.code == .unknownRun }
    }

    // K9
    @Test func `what retention removes leaves the lists of pages, and its own address says what became of it`()
        async throws
    {
        let clock = ManualClock()
        let bench = try await Workbench.open(["quick": .quick, "other": .quick], clock: clock) {
            $0.retention = RetentionPolicy(
                maximumAge: nil, maximumRunsPerOperation: 2, operations: ["other": .init(maximumRuns: 0)])
        }
        await clock.sleepers(1)
        var ids: [String] = []
        for _ in 0..<4 { ids.append(try await run("quick", on: bench.board)) }
        let other = try await run("other", on: bench.board)
        let kept = Array(ids.suffix(2).reversed())
        clock.advance(by: .seconds(3_600))
        await clock.sleepers(1)
        let view = bench.board.view()
        #expect(view.recentRuns.map(\.record.id) == kept)
        #expect(view.operation("quick")?.recent.map(\.record.id) == kept)
        #expect(view.operation("other")?.recent.isEmpty == true)
        for topic in [Topic.board, .operation("quick"), .operation("other")] {
            let head = bench.board.feed.head(of: topic)
            let shown = bench.board.feed.publication(at: head)?.board.listedRuns
            #expect(shown?.isDisjoint(with: ids.prefix(2) + [other]) == true, "\(topic)")
        }
        await #expect { _ = try await bench.board.run(ids[0]) } throws: { ($0 as? BoardError)?.code == .removedRun }
        await #expect { _ = try await bench.board.run("nobody") } throws: { ($0 as? BoardError)?.code == .unknownRun }
        let next = try await run("quick", on: bench.board)
        #expect(bench.board.view().recentRuns.map(\.record.id) == [next] + kept)
    }
}
