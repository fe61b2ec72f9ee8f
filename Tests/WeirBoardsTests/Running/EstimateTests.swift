import Testing
import TestSupport
import WeirFlows
@testable import WeirJournals
import WeirStates

@testable import WeirBoards

@Suite(.timeLimit(.minutes(15))) struct EstimateTests {
    @Test func `nothing is told before there are five`() {
        #expect(DurationHistory.rest(of: [8_000, 8_000, 8_000, 8_000]) == nil)
        #expect(DurationHistory.rest(of: [8_000, 8_000, 8_000, 8_000, 8_000]) != nil)
    }

    @Test
    func `the range lies around the middle, and how often it would have been right is counted without the run itself`()
    {
        let rest = DurationHistory.rest(of: Array(repeating: 12_000, count: 9) + [30_000])
        // A sixth of the middle to both sides; the one that took longer is the one it would have been wrong for.
        #expect(rest == .init(shortest: 10_000, longest: 14_000, right: 9, tried: 10))
        let spread = DurationHistory.rest(of: [9_000, 10_000, 11_000, 12_000, 13_000])
        #expect(spread == .init(shortest: 8_000, longest: 14_000, right: 5, tried: 5))
        // Without the one at the edge the middle is 11,500 and the middle distance 1,000.
        #expect(DurationHistory.rest(of: [7_000, 10_000, 11_000, 12_000, 13_000])?.right == 4)
        // This one lies just within the range that it widens itself.
        #expect(
            DurationHistory.rest(of: [8_000, 10_000, 11_000, 12_000, 13_000])
                == .init(shortest: 8_000, longest: 14_000, right: 4, tried: 5))
    }

    @Test func `only the newest ten are tried, and older ones still count`() {
        let rest = DurationHistory.rest(of: Array(repeating: 60_000, count: 3) + Array(repeating: 12_000, count: 12))
        #expect(rest?.tried == 10)
        #expect(rest?.right == 10)
    }

    @Test func `nothing is told of what was wrong too often, is too wide to be of use, or is over before it is read`() {
        #expect(DurationHistory.rest(of: [1_000, 90_000, 2_000, 60_000, 4_000, 30_000]) == nil)
        #expect(DurationHistory.rest(of: [1_000, 1_000, 1_000, 1_000, 1_000, 9_000, 9_000, 9_000, 9_000]) == nil)
        #expect(DurationHistory.rest(of: [40, 40, 40, 40, 40, 40]) == nil)
    }

    @Test func `what was right seven times of ten is told, and what is as wide as four to one`() {
        let often = Array(repeating: Int64(12_000), count: 7) + Array(repeating: 30_000, count: 3)
        #expect(DurationHistory.rest(of: often) == .init(shortest: 10_000, longest: 14_000, right: 7, tried: 10))
        let seldom = Array(repeating: Int64(12_000), count: 6) + Array(repeating: 30_000, count: 4)
        #expect(DurationHistory.rest(of: seldom) == nil)
        #expect(
            DurationHistory.rest(of: [6_000, 8_000, 10_000, 12_000, 14_000])
                == .init(shortest: 4_000, longest: 16_000, right: 5, tried: 5))
    }

    @Test func `five runs of steps give the medians of the steps and of the whole, without runs that took steps over`()
        throws
    {
        var history = DurationHistory()
        for (index, seconds) in [2, 3, 4, 9, 3, 8].enumerated() {
            let start = Timestamp(milliseconds: 1_000_000)
            let end = start.after(Int64(seconds) * 1_000)
            var step = StepsProgress.Step("build", .succeeded)
            (step.began, step.ended, step.doneIn) = (start, end, index == 5 ? "before" : nil)
            let states: [StepsState] = [
                .waiting(StepsProgress()), .at("build", StepsProgress([step])), .succeeded(StepsProgress([step])),
            ]
            var view: RunView?
            for (revision, state) in states.enumerated() {
                let draft = ChangeDraft(
                    stream: .run("r\(index)"), subject: "release", revision: Int64(revision),
                    at: revision == 2 ? end : start,
                    state: try StateRecord(state), isTransition: true,
                    opening: revision == 0 ? RunOpening(actor: "a", input: [:]) : nil)
                let change = Change(sequence: SequenceNumber(clamping: revision + 1), draft: draft)
                view = view?.applying(change) ?? RunView(opening: change)
            }
            history.add(try #require(view))
            if index == 3 { #expect(history.estimate() == nil) }
        }
        let estimate = try #require(history.estimate())
        #expect(estimate.steps == ["build": 3_000] && estimate.whole == 3_000)
        #expect(RunEstimate(estimate.json) == estimate)
    }

    /// A board whose time moves on by a second with every state after the first.
    private func board(_ journal: any Journal) async throws -> Board {
        var catalog = Catalog()
        let time = MutableStateFlow(Int64(0))
        let work = TestOperation { input, state in
            time.update { $0 + 1_000 }
            state.value = .working(step: 1)
            time.update { $0 + 1_000 }
            state.value = .resting(step: 2)
            time.update { $0 + 1_000 }
            if input.label == "bad" { throw CancellationError() }
            state.value = .success(text: "")
        }
        catalog.add(work, id: "work", title: "Work", summary: "Works.")
        return try await Board.open(
            catalog: catalog, journal: journal, now: { Timestamp(milliseconds: time.value) })
    }

    private func run(_ board: Board, _ label: String = "good") async throws -> RunOpening {
        let id = try await board.start("work", input: ["label": .string(label)], actor: "tester").run
        await board.outcome(of: id)
        return try await board.run(id).opening
    }

    @Test func `from the sixth success on a run records what it may take, also after a restart`() async throws {
        let journal = MemoryJournal()
        let board = try await board(journal)
        for _ in 0..<3 { _ = try await run(board, "bad") }
        for _ in 0..<5 { #expect(try await run(board).expected == nil) }
        let expected = try #require(try await run(board).expected)
        #expect(expected.cases["working"] == .init(shortest: 1_667, longest: 2_333, right: 5, tried: 5))
        #expect(expected.cases["resting"] == .init(shortest: 750, longest: 1_250, right: 5, tried: 5))
        #expect(Set(expected.cases.keys) == ["working", "resting"])
        await board.shutdown()
        let reopened = try await self.board(journal)
        #expect(try await run(reopened).expected?.cases["working"]?.tried == 6)
        await reopened.shutdown()
    }

    // K10
    @Test func `imported runs carry what they were told, and teach nothing of how long it takes here`() async throws {
        let board = try await board(MemoryJournal())
        for _ in 0..<6 { _ = try await run(board) }
        var lines: [String] = []
        _ = try await board.export(RunQuery()) { lines.append($0) }
        let bundle = lines
        let other = try await self.board(MemoryJournal())
        let report = try await other.importRuns {
            let rest = Locked(bundle[...])
            return { rest.withLock { $0.popFirst() } }
        }
        let last = try #require(report.imported.last)
        #expect(try await other.run(last).opening.expected?.cases.count == 2)
        #expect(try await run(other).expected == nil)
        await board.shutdown()
        await other.shutdown()
    }
}
