import Foundation
import Synchronization
import Testing
import TestSupport
import WeirFlows
import WeirJournals
import WeirStates

@testable import WeirBoards

@Suite(.timeLimit(.minutes(15))) struct BundleTests {
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
        let there = try await BoardFixture.open(["quick": .quick, "other": .quick])
        for _ in 0..<12 { _ = try await run("quick", on: there.board) }
        let other = try await run("other", on: there.board)
        let bundle = try await lines(of: there.board)

        let journal = JournalDouble()
        let fixture = try await BoardFixture.open(["quick": .quick, "other": .quick], on: journal)
        let mine = try await run("quick", on: fixture.board)
        let before = fixture.board.feed.head(of: .board)
        let seen = Locked<[SequenceNumber]>([])
        let observation = fixture.board.feed.observe(.operation("other")) { head in seen.withLock { $0.append(head) } }
        defer { observation.cancel() }
        let report = try await take(bundle, fixture.board)
        #expect(report.imported.count == 13)
        let head = fixture.board.feed.head(of: .board)
        #expect(head == before.advanced(by: report.changes))
        #expect(seen.withLock { $0.last } == fixture.board.feed.head(of: .operation("other")))
        let view = fixture.board.view()
        #expect(view.operation("quick")?.latest?.record.id == mine)
        #expect(view.operation("quick")?.recent.count == 13)
        #expect(view.operation("other")?.latest?.record.id == other)
        #expect(view.recentRuns.first?.record.id == other)
        let next = try await run("quick", on: fixture.board)
        #expect(try await fixture.board.run(next).openedSequence == head.next)
        for tail in [10_000, 3] {
            let reopened = try await BoardFixture.open(
                ["quick": .quick, "other": .quick], on: JournalDouble(journal.inner)
            ) {
                $0.retention = nil
                $0.tailLimit = tail
            }
            #expect(summary(reopened.board.view()) == summary(fixture.board.view()))
        }
    }

    @Test func `an operation that comes later has its imported runs, each once and behind its own`() async throws {
        let there = try await BoardFixture.open(["quick": .quick])
        var imported: [String] = []
        for _ in 0..<3 { imported.insert(try await run("quick", on: there.board), at: 0) }
        let bundle = try await lines(of: there.board)
        let fixture = try await BoardFixture.open(["quick": .quick])
        let mine = try await run("quick", on: fixture.board)
        _ = try await take(bundle, fixture.board)
        try await fixture.board.replace(Catalog())
        var catalog = Catalog()
        catalog.add(TestOperation.quick, id: "quick", title: "quick", summary: "A test.")
        try await fixture.board.replace(catalog)
        let view = try #require(fixture.board.view().operation("quick"))
        #expect(view.recent.map(\.record.id) == [mine] + imported)
    }

    @Test func `what happens during an import is recorded after it, in order`() async throws {
        let there = try await BoardFixture.open(["quick": .quick])
        for _ in 0..<5 { _ = try await run("quick", on: there.board) }
        let bundle = try await lines(of: there.board)
        let fixture = try await BoardFixture.open(["quick": .quick])
        async let report = take(bundle, fixture.board)
        async let runs = withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<20 { group.addTask { try await self.run("quick", on: fixture.board) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(try await report.imported.count == 5)
        #expect(try await runs.count == 20)
        let kept = try await fixture.journal.changes(of: .board, after: 0, through: nil, limit: 1_000)
        var told: [SequenceNumber] = []
        for sequence in 1...fixture.board.feed.head(of: .board) {
            if let publication = fixture.board.feed.publication(at: sequence) {
                told.append(publication.change.sequence)
            }
        }
        #expect(told == kept.map(\.sequence))
        #expect(fixture.board.view().operation("quick")?.activeRuns == 0)
    }

    @Test func `a second import is refused while one goes on, and taken afterwards`() async throws {
        let there = try await BoardFixture.open(["quick": .quick])
        let id = try await run("quick", on: there.board)
        let bundle = try await lines(of: there.board)
        let fixture = try await BoardFixture.open(["quick": .quick])
        #expect(fixture.board.importing.take())
        #expect(fixture.board.isImporting)
        await #expect {
            _ = try await take(bundle, fixture.board)
        } throws: { ($0 as? BoardError)?.code == .importing }
        fixture.board.importing.release()
        #expect(try await take(bundle, fixture.board).imported == [id])
        // One that fails lets the next one in, too.
        await #expect(throws: BoardError.self) { _ = try await take(bundle.dropLast(), fixture.board) }
        #expect(!fixture.board.isImporting)
    }

    @Test func `what starts while a long file is imported is recorded between its steps`() async throws {
        let there = try await BoardFixture.open(["quick": .quick])
        for _ in 0..<300 { _ = try await run("quick", on: there.board) }
        let bundle = try await lines(of: there.board)
        let fixture = try await BoardFixture.open(["quick": .quick])
        // The second reading stops in the middle until a run has begun and ended.
        let isHalf = MutableStateFlow(false)
        let goesOn = Mutex(false)
        let openings = Mutex(0)
        async let report = fixture.board.importRuns {
            let reading = openings.withLock { count in
                count += 1
                return count
            }
            let rest = Mutex(bundle[...])
            return {
                let (line, left) = rest.withLock { ($0.popFirst(), $0.count) }
                guard reading == 2, left == 200 else { return line }
                isHalf.value = true
                while !goesOn.withLock({ $0 }), !Task.isCancelled { sched_yield() }
                return line
            }
        }
        _ = await isHalf.first { $0 }
        let mine = try await run("quick", on: fixture.board)
        goesOn.withLock { $0 = true }
        #expect(try await report.imported.count == 300)
        let all = try await fixture.journal.changes(of: .board, after: 0, through: nil, limit: 10_000)
        #expect(all.last?.stream != .run(mine) && all.first?.stream != .run(mine))
        #expect(try await fixture.cases(of: .run(mine)) == ["none", "working", "success"])
        for sequence in 1...fixture.board.feed.head(of: .board) {
            #expect(fixture.board.feed.publication(at: sequence)?.change.sequence == sequence)
        }
    }

    @Test func `an import that breaks off leaves every page it had come to`() async throws {
        let there = try await BoardFixture.open(["endless": .endless, "quick": .quick])
        let going = try await there.board.start("endless", input: [:], actor: "tester").run
        try await there.published(.run(going)) { $0.change.state.caseName == "working" }
        for _ in 0..<200 { _ = try await run("quick", on: there.board) }
        let bundle = try await lines(of: there.board)
        let fixture = try await BoardFixture.open(["endless": .endless, "quick": .quick])
        let mine = try await run("quick", on: fixture.board)
        let openings = Mutex(0)
        await #expect(throws: BoardError.self) {
            _ = try await fixture.board.importRuns {
                let reading = openings.withLock { count in
                    count += 1
                    return count
                }
                let rest = Mutex(bundle[...])
                return {
                    let (line, left) = rest.withLock { ($0.popFirst(), $0.count) }
                    if reading == 2, left < 100 { throw JournalError(.unavailable, "The disk is gone.") }
                    return line
                }
            }
        }
        #expect(fixture.board.feed.head(of: .board) > 100)
        let view = fixture.board.view()
        #expect(view.recentRuns.map(\.record.id) == [mine])
        #expect(view.operation("quick")?.recent.map(\.record.id) == [mine])
        #expect(view.operation("endless")?.activeRuns == 0)
        #expect(try await fixture.board.runs(RunQuery()).runs.map(\.id) == [mine])
        await #expect(throws: BoardError.self) { _ = try await fixture.board.run(going) }
        await there.board.shutdown()
    }

    // K4
    @Test func `a run that was still going there ends here as interrupted, once`() async throws {
        let there = try await BoardFixture.open(["endless": .endless])
        let id = try await there.board.start("endless", input: [:], actor: "tester").run
        try await there.published(.run(id)) { $0.change.state.caseName == "working" }
        let bundle = try await lines(of: there.board)
        let fixture = try await BoardFixture.open(["endless": .endless])
        #expect(try await take(bundle, fixture.board).unfinished == [id])
        let run = try await fixture.board.view(of: id)
        #expect(run.record.state.phase == .interrupted)
        #expect(run.record.cause == EndCause.exported.description)
        #expect(run.transitions.map(\.phase) == [.idle, .active, .interrupted])
        #expect(fixture.board.view().operation("endless")?.activeRuns == 0)
        #expect(try await take(bundle, fixture.board).skipped == [id])
        #expect(try await fixture.board.run(id).revision == run.record.revision)
        await there.board.shutdown()
    }

    @Test func `what cannot be imported is refused in words that name the line, and nothing of it is shown`()
        async throws
    {
        let there = try await BoardFixture.open(["quick": .quick])
        let id = try await run("quick", on: there.board)
        let bundle = try await lines(of: there.board)
        let fixture = try await BoardFixture.open(["quick": .quick])
        await #expect {
            _ = try await take(bundle.dropLast(), fixture.board)
        } throws: { error in
            let error = error as? BoardError
            return error?.code == .malformedImport && error?.description.hasPrefix("Line \(bundle.count - 1): ") == true
        }
        #expect(fixture.board.feed.head(of: .board) == 0)
        _ = try await take(bundle, fixture.board)
        let head = fixture.board.feed.head(of: .board)
        let others = bundle.map { $0.replacing("tester", with: "taster") }
        await #expect {
            _ = try await take(others, fixture.board)
        } throws: { error in
            (error as? BoardError)?.code == .importConflict && (error as? BoardError)?.description.contains(id) == true
        }
        #expect(fixture.board.feed.head(of: .board) == head)
        await #expect {
            _ = try await fixture.board.export("nobody") { _ in }
        } throws: { ($0 as? BoardError)?.code == .unknownRun }
    }

    // K9
    @Test func `what retention removes leaves the lists of pages, and its own address says what became of it`()
        async throws
    {
        let clock = VirtualClock()
        let fixture = try await BoardFixture.open(["quick": .quick, "other": .quick], clock: clock) {
            $0.retention = RetentionPolicy(
                maximumAge: nil, maximumRunsPerOperation: 2, operations: ["other": .init(maximumRuns: 0)])
        }
        await clock.sleepers(1)
        var ids: [String] = []
        for _ in 0..<4 { ids.append(try await run("quick", on: fixture.board)) }
        let other = try await run("other", on: fixture.board)
        let kept = Array(ids.suffix(2).reversed())
        clock.advance(by: .seconds(3_600))
        await clock.sleepers(1)
        let view = fixture.board.view()
        #expect(view.recentRuns.map(\.record.id) == kept)
        #expect(view.operation("quick")?.recent.map(\.record.id) == kept)
        #expect(view.operation("other")?.recent.isEmpty == true)
        for topic in [Topic.board, .operation("quick"), .operation("other")] {
            let head = fixture.board.feed.head(of: topic)
            let shown = fixture.board.feed.publication(at: head)?.board.listedRuns
            #expect(shown?.isDisjoint(with: ids.prefix(2) + [other]) == true, "\(topic)")
        }
        await #expect { _ = try await fixture.board.run(ids[0]) } throws: { ($0 as? BoardError)?.code == .removedRun }
        await #expect { _ = try await fixture.board.run("nobody") } throws: { ($0 as? BoardError)?.code == .unknownRun }
        let next = try await run("quick", on: fixture.board)
        #expect(fixture.board.view().recentRuns.map(\.record.id) == [next] + kept)
    }
}
