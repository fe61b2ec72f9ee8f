import Testing
import TestSupport
import WeirFlows
import WeirJournals
import WeirOperations
import WeirStates

@testable import WeirBoards

/// What a restart makes of runs of steps, and how one is begun again.
@Suite(.timeLimit(.minutes(15))) struct StepRestartTests {
    private let setup = StepsFixture()

    // T3
    @Test func `a decision outlives a restart, with its time`() async throws {
        let wall = MutableStateFlow<Int64>(1_000)
        let plan = StepsPlan([StepsFixture.ask(.seconds(60)), StepsFixture.echo("next", .text("x"))])
        let first = try await setup.open(plan, wall: wall)
        let run = try await setup.start(first)
        try await setup.reach(first, run) { $0.steps.steps.first?.status == .asking }
        await first.board.shutdown()
        wall.value = 31_000
        let second = try await setup.open(plan, on: first.journal, wall: wall)
        #expect(try await setup.progress(second, run).steps[0].until == Timestamp(milliseconds: 61_000))
        // The second process asks as soon as its run has begun.
        try await until {
            do throws(BoardError) {
                _ = try await second.board.decide(run, step: "ask", isApproved: true, actor: "vera")
                return true
            } catch {
                try #require(error.code == .notAsking)
                return false
            }
        }
        try await setup.reach(second, run) { $0.phase.isEnded }
        #expect(try await second.board.run(run).state.phase == .succeeded)
        #expect(setup.begun["x"] == 1)
        await second.board.shutdown()
    }

    @Test func `a run of steps continues once a quiet start has ended, and not before`() async throws {
        let plan = StepsPlan([StepsFixture.echo("long", .text("wait"), isRepeatable: true)])
        let first = try await setup.open(plan)
        let run = try await setup.start(first)
        try await setup.working(first)
        await first.board.shutdown()
        setup.gate.open()
        let quiet = QuietStart(.copied, since: Timestamp(milliseconds: 1))
        let second = try await setup.open(plan, on: first.journal, quiet: quiet)
        #expect(second.board.quiet.value == quiet)
        // Another run is not held up, and shows that nothing else has begun.
        let other = try await setup.start(second)
        try await setup.reach(second, other) { $0.phase.isEnded }
        #expect(setup.begun["wait"] == 2)
        #expect(try await second.board.run(run).endedAt == nil)
        try await second.board.endQuiet(skippingMissed: false)
        try await setup.reach(second, run) { $0.phase.isEnded }
        #expect(try await second.board.run(run).state.phase == .succeeded)
        #expect(second.board.quiet.value == nil && setup.begun["wait"] == 3)
        await second.board.shutdown()
    }

    @Test func `a decision whose time passed while the server was stopped is taken as the file says`() async throws {
        let wall = MutableStateFlow<Int64>(1_000)
        let plan = StepsPlan([StepsFixture.ask(.seconds(60))])
        let first = try await setup.open(plan, wall: wall)
        let run = try await setup.start(first)
        try await setup.reach(first, run) { $0.steps.steps.first?.status == .asking }
        await first.board.shutdown()
        wall.value = 90_000
        let second = try await setup.open(plan, on: first.journal, wall: wall)
        try await setup.reach(second, run) { $0.phase.isEnded }
        #expect(try await setup.progress(second, run).ending?.kind == .lapsed)
        await second.board.shutdown()
    }

    // T2
    @Test(arguments: [true, false])
    func `a step that a restart interrupts is failed, or begins once more where it may`(
        _ isRepeatable: Bool
    ) async throws {
        let plan = StepsPlan([
            StepsFixture.echo("done", .text("once")),
            StepsFixture.echo("long", .text("wait"), isRepeatable: isRepeatable),
            StepsFixture.echo("back", .text("back"), after: ["long"]),
        ])
        let first = try await setup.open(plan)
        let run = try await setup.start(first)
        try await setup.working(first)
        await first.board.shutdown()
        #expect(try await first.journal.run(run)?.endedAt == nil)
        setup.gate.open()
        let second = try await setup.open(plan, on: first.journal)
        try await setup.reach(second, run) { $0.phase.isEnded }
        #expect(setup.begun["once"] == 1)
        #expect(setup.begun["wait"] == (isRepeatable ? 2 : 1))
        #expect(setup.begun["back"] == (isRepeatable ? 0 : 1))
        let ending = try await setup.progress(second, run).ending
        #expect(ending == (isRepeatable ? nil : .init(.stepInterrupted, step: "long")))
        await second.board.shutdown()
    }

    @Test func `of each step that goes on as the server stops it is written down that the server stopped it`()
        async throws
    {
        let fixture = try await setup.open(StepsPlan([StepsFixture.echo("long", .text("wait"))]))
        var last: SequenceNumber = 0
        for _ in 0..<30 {
            _ = try await setup.start(fixture)
            let working = try await fixture.published(.operation("echo"), after: last) {
                $0.change.state.caseName == "working"
            }
            last = working.change.sequence
        }
        await fixture.board.shutdown()
        let all = try await fixture.journal.changes(of: .board, after: 0, through: nil, limit: 1_000)
        let ends = all.filter { $0.subject == "echo" && $0.state.phase.isEnded }
        #expect(ends.count == 30)
        #expect(Set(ends.map(\.draft.cause)) == [EndCause.shutdown.description])
    }

    @Test func `the end of a step and the beginning of the next are recorded together, before the next works`()
        async throws
    {
        let plan = StepsPlan([StepsFixture.echo("first", .text("wait")), StepsFixture.echo("second", .text("x"))])
        let fixture = try await setup.open(plan)
        let run = try await setup.start(fixture)
        let first = try await setup.working(fixture)
        await fixture.board.recorder.flush()
        fixture.journal.hold()
        setup.gate.open()
        // The end of the first run, the end of the step, and the beginning of the next.
        try await until { fixture.board.recorder.backlog >= 3 }
        #expect(setup.begun["x"] == 0)
        fixture.journal.release()
        try await setup.reach(fixture, run) { $0.phase.isEnded }
        let changes = try await fixture.journal.changes(of: .board, after: 0, through: nil, limit: 1_000)
        let end = try #require(changes.firstIndex { $0.stream == .run(first) && $0.state.phase.isEnded })
        let next = try #require(changes.firstIndex { $0.stream == .run(run) && $0.state.caseName == "second" })
        let opening = try #require(changes.lastIndex { $0.draft.opening != nil })
        #expect(end < next && next < opening)
        #expect(try await setup.progress(fixture, run).steps[0].ended == changes[end].at)
        await fixture.board.shutdown()
    }

    @Test func `a step that had ended when the server stopped is not begun again, and what it said is used`()
        async throws
    {
        let plan = StepsPlan([
            StepsFixture.echo("first", .text("x")),
            StepsFixture.echo("last", .reported(step: "first", value: "text")),
        ])
        let first = try await setup.open(plan)
        let run = try await setup.start(first)
        try await setup.reach(first, run) { $0.phase.isEnded }
        await first.board.shutdown()
        // What was recorded up to the end of the first step, as if the server had been killed right then.
        let all = try await first.journal.changes(of: .board, after: 0, through: nil, limit: 1_000)
        let end = try #require(all.firstIndex { $0.subject == "echo" && $0.state.phase.isEnded })
        let journal = JournalDouble()
        for change in all[...end] { _ = try await journal.append([change.draft]) }
        let second = try await setup.open(plan, on: journal)
        try await setup.reach(second, run) { $0.phase.isEnded }
        #expect(try await second.board.run(run).state.phase == .succeeded)
        #expect(setup.begun["x"] == 1)
        #expect(setup.begun["<x>"] == 2)
        await second.board.shutdown()
    }

    @Test func `a run whose steps are others after a restart ends, and says so`() async throws {
        let first = try await setup.open(StepsPlan([StepsFixture.ask()]))
        let run = try await setup.start(first)
        try await setup.reach(first, run) { $0.steps.steps.first?.status == .asking }
        await first.board.shutdown()
        let second = try await setup.open(StepsPlan([StepsFixture.echo("other", .text("x"))]), on: first.journal)
        try await setup.reach(second, run) { $0.phase.isEnded }
        #expect(try await setup.progress(second, run).ending?.kind == .fileChanged)
        #expect(setup.begun["x"] == 0)
        await second.board.shutdown()
    }

    // MARK: Again

    // T5
    @Test func `again from the failed step takes over what succeeded before`() async throws {
        let fixture = try await setup.open(
            StepsPlan([
                StepsFixture.echo("first", .input("name")), StepsFixture.ask(),
                StepsFixture.echo("last", .reported(step: "first", value: "text")),
            ]))
        let run = try await setup.start(fixture)
        try await setup.reach(fixture, run) { $0.steps.steps.dropFirst().first?.status == .asking }
        _ = try await fixture.board.decide(run, step: "ask", isApproved: false, actor: "vera")
        try await setup.reach(fixture, run) { $0.phase.isEnded }
        let again = try await fixture.board.retryFromFailedStep(run, actor: "otto").run
        try await setup.reach(fixture, again) {
            $0.steps.steps.count == 3 && $0.steps.steps.dropFirst().first?.status == .asking
        }
        _ = try await fixture.board.decide(again, step: "ask", isApproved: true, actor: "vera")
        try await setup.reach(fixture, again) { $0.phase.isEnded }
        #expect(setup.begun["Ada"] == 1)
        #expect(setup.begun["<Ada>"] == 1)
        let record = try await fixture.board.run(again)
        #expect(record.opening.retryOf == run)
        #expect(try await setup.progress(fixture, again).steps.map(\.doneIn) == [run, nil, nil])
        let error = await #expect(throws: BoardError.self) {
            try await fixture.board.retryFromFailedStep(again, actor: "otto")
        }
        #expect(error?.code == .nothingToContinue)
        await fixture.board.shutdown()
    }
}
