import Testing
import WeirBoards
import WeirJournals
import WeirOperations
import WeirStates

@Suite(.timeLimit(.minutes(15))) struct SimpleOperationTests {
    /// Reports a hundred steps as fast as it can, and prints a line.
    struct Count: SimpleOperation {
        struct Input: FormInput {
            var steps = 100
            static let fields = [InputField(\Self.steps, "Steps", .integer(1...1_000))]
        }

        func run(_ input: Input, report: RunReporter) async throws -> String {
            for step in 1...input.steps { report.progress(step, of: input.steps) }
            await report.print("counted")
            return "Counted to \(input.steps)."
        }
    }

    private func open(ticks: TickRecording) async throws -> (board: Board, journal: MemoryJournal) {
        var catalog = Catalog()
        catalog.add(Count(), id: "count", title: "Count", summary: "Counts.", ticks: ticks)
        let journal = MemoryJournal()
        return (try await Board.open(catalog: catalog, journal: journal), journal)
    }

    private func changes(_ board: Board, _ journal: MemoryJournal, input: JSONValue) async throws -> [Change] {
        let receipt = try await board.start("count", input: input, actor: "tester")
        await board.outcome(of: receipt.run)
        #expect(try await board.output(of: receipt.run, after: 0, limit: 10).map(\.draft.text) == ["counted"])
        await board.shutdown()
        return await journal.changes(of: .run(receipt.run), after: 0, through: nil, limit: 1_000)
    }

    // K6
    @Test func `a simple operation runs on a board like any other, with its defaults and its output`() async throws {
        let (board, journal) = try await open(ticks: .sampled)
        let changes = try await changes(board, journal, input: [:])
        #expect(changes.filter(\.isTransition).map(\.state.caseName) == ["waiting", "working", "succeeded"])
        #expect(changes.last?.state.payload == ["result": "Counted to 100."])
        #expect(changes.dropLast().last?.state.progress == WorkProgress(100, of: 100))
        #expect(changes.count < 100)
        #expect(changes.first?.draft.opening?.input == ["steps": 100])
    }

    // K6
    @Test func `an operation that is added with every tick has each of them in the journal`() async throws {
        let (board, journal) = try await open(ticks: .every)
        let changes = try await changes(board, journal, input: ["steps": 250])
        #expect(changes.compactMap { $0.state.progress?.completed } == (1...250).map(Int64.init))
        #expect(changes.map(\.revision) == (0..<253).map(Int64.init))
    }

    @Test func `an input beyond its bounds is refused with the field's name`() async throws {
        let (board, _) = try await open(ticks: .sampled)
        let error = await #expect(throws: BoardError.self) {
            try await board.start("count", input: ["steps": 0], actor: "tester")
        }
        #expect(error?.fields.map(\.field) == ["steps"])
        await board.shutdown()
    }
}
