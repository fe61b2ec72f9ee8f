import Testing
import TestSupport
import WeirFlows
import WeirJournals
import WeirOperations
import WeirStates

@testable import WeirBoards

/// The effect of a stop of the server on the runs of each kind, and the next process's effect on what is left.
@Suite(.timeLimit(.minutes(15))) struct ShutdownTests {
    private let gate = Gate()
    private let begun = MutableStateFlow<[String]>([])

    private var gated: TestOperation {
        TestOperation { [gate, begun] input, state in
            begun.update { $0 + [input.label ?? ""] }
            state.value = .working(step: 1)
            try await gate.pass()
            state.value = .success(text: input.label ?? "")
        }
    }

    private func open(
        on journal: JournalDouble = JournalDouble(), reentry: ReentryPolicy = .queue
    ) async throws -> BoardFixture {
        try await BoardFixture.open(["one": gated], reentry: reentry, on: journal)
    }

    private func start(_ fixture: BoardFixture, _ label: String) async throws -> String {
        try await fixture.board.start("one", input: ["label": .string(label)], actor: "ana").run
    }

    // K5
    @Test func `a stop interrupts what runs, with its last state and the reason`() async throws {
        let fixture = try await open()
        let run = try await start(fixture, "a")
        try await fixture.published { $0.change.state.caseName == "working" }
        await fixture.board.shutdown()
        let record = try #require(try await fixture.journal.run(run))
        #expect(record.state == .interrupted(after: "working"))
        #expect(record.cause == "the server was stopped")
    }

    // K5
    @Test func `what is queued is left to the next process, which runs it once and in order`() async throws {
        let first = try await open()
        let runs = [try await start(first, "a"), try await start(first, "b"), try await start(first, "c")]
        try await first.published { $0.change.state.caseName == "working" }
        await first.board.shutdown()
        #expect(begun.value == ["a"])
        #expect(try await first.journal.unfinishedRuns().map(\.id) == Array(runs.dropFirst()))
        gate.open()
        let second = try await open(on: first.journal)
        for run in runs.dropFirst() {
            await second.board.outcome(of: run)
            #expect(try await second.board.run(run).state.phase == .succeeded)
        }
        #expect(begun.value == ["a", "b", "c"])
        await second.board.shutdown()
    }

    @Test func `what is queued waits for the end of a quiet start, also if its record fails at first`() async throws {
        let first = try await open()
        _ = try await start(first, "a")
        let queued = try await start(first, "b")
        try await first.published { $0.change.state.caseName == "working" }
        await first.board.shutdown()
        gate.open()
        let second = try await BoardFixture.open(["one": gated], reentry: .queue, on: first.journal) {
            $0.retention = nil
            $0.quiet = QuietStart(.copied, since: Timestamp(milliseconds: 1))
        }
        #expect(try await second.board.run(queued).endedAt == nil)
        // The change is recorded, and the answer is lost.
        first.journal.failAfterAppending()
        await #expect(throws: JournalError.self) { try await second.board.endQuiet(skippingMissed: false) }
        #expect(second.board.quiet.value != nil)
        try await second.board.endQuiet(skippingMissed: false)
        await second.board.outcome(of: queued)
        #expect(try await second.board.run(queued).state.phase == .succeeded)
        #expect(begun.value == ["a", "b"])
        await second.board.shutdown()
    }

    @Test func `a crash interrupts a run that was left to this process, as it does others`() async throws {
        let first = try await open()
        _ = try await start(first, "a")
        let queued = try await start(first, "b")
        try await first.published { $0.change.state.caseName == "working" }
        await first.board.shutdown()
        let copy = JournalDouble()
        for change in try await first.journal.changes(of: .board, after: 0, through: nil, limit: 100) {
            _ = try await copy.append([change.draft])
        }
        // The second process takes the run up, and is gone before anything else is recorded.
        let loader = BoardLoader(journal: copy, catalog: first.board.catalog, configuration: .init())
        let kept = try await loader.keptRuns()
        #expect(try await loader.takeUp(kept, at: Timestamp(milliseconds: 9_000)).map(\.id) == [queued])
        _ = try await loader.interruptUnfinished(at: Timestamp(milliseconds: 9_001), besides: [])
        #expect(try await copy.run(queued)?.cause == EndCause.stopped.description)
    }

    @Test func `a queued run that the next process cannot perform ends, and says why`() async throws {
        let first = try await open()
        _ = try await start(first, "a")
        let queued = try await start(first, "b")
        try await first.published { $0.change.state.caseName == "working" }
        await first.board.shutdown()
        let second = try await BoardFixture.open(["other": gated], on: first.journal)
        try await until { try await first.journal.run(queued)?.endedAt != nil }
        let record = try #require(try await first.journal.run(queued))
        #expect(record.state.phase == .interrupted)
        #expect(record.cause?.contains("There is no operation") == true)
        await second.board.shutdown()
    }

    @Test func `a queued run whose secret is not kept ends at the stop, and says so`() async throws {
        var catalog = Catalog()
        catalog.add(SecretGate(gate: gate), id: "secret", title: "Secret", summary: "", reentry: .queue)
        let journal = JournalDouble()
        var configuration = Board.Configuration()
        configuration.retention = nil
        configuration.journalCheckInterval = nil
        let board = try await Board.open(
            catalog: catalog, journal: journal, configuration: configuration, clock: VirtualClock())
        let input: JSONValue = ["token": "a long secret"]
        _ = try await board.start("secret", input: input, actor: "ana")
        let queued = try await board.start("secret", input: input, actor: "ana").run
        await board.shutdown()
        #expect(try await journal.run(queued)?.cause == EndCause.shutdownWithSecrets.description)
    }

    @Test func `runs can end by themselves before a stop, while nothing starts`() async throws {
        let fixture = try await open(reentry: .concurrent)
        let run = try await start(fixture, "a")
        try await fixture.published { $0.change.state.caseName == "working" }
        let finished = Task { await fixture.board.finishRuns(within: .seconds(60)) }
        try await until { fixture.board.runs.isClosed }
        let error = await #expect(throws: BoardError.self) {
            try await fixture.board.start("one", input: [:], actor: "ana")
        }
        #expect(error?.code == .shuttingDown)
        gate.open()
        await finished.value
        #expect(try await fixture.board.run(run).state.phase == .succeeded)
        await fixture.board.shutdown()
    }

    @Test func `the time to end is limited`() async throws {
        let fixture = try await open()
        let run = try await start(fixture, "a")
        try await fixture.published { $0.change.state.caseName == "working" }
        let finished = Task { await fixture.board.finishRuns(within: .seconds(60)) }
        await fixture.clock.sleepers(1)
        fixture.clock.advance(by: .seconds(60))
        await finished.value
        #expect(try await fixture.board.run(run).state.phase == .active)
        await fixture.board.interruptRuns()
        #expect(try await fixture.board.run(run).state.phase == .interrupted)
        await fixture.board.shutdown()
    }
}

/// Waits for a gate, with a secret.
private struct SecretGate: StateOperation {
    struct Input: OperationInput {
        static let fields = [InputField("token", "Token", .secret(), required: true)]
        let token: String
    }

    let gate: Gate

    func perform(_ input: Input, state: MutableStateFlow<TestState>) async throws {
        state.value = .working(step: 1)
        try await gate.pass()
        state.value = .success(text: "")
    }
}
