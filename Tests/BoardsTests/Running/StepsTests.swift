import Flows
import Journals
import Operations
import States
import Testing

@testable import Boards

/// Runs of steps: each step a run of its own, decisions in between, and what a restart makes of them.
struct StepsTests {
    /// Counts how often the work of each label began.
    final class Begun: Sendable {
        private let counts = Locked<[String: Int]>([:])

        func note(_ label: String) { counts.withLock { $0[label, default: 0] += 1 } }

        subscript(label: String) -> Int { counts.withLock { $0[label] ?? 0 } }
    }

    private let begun = Begun()
    private let gate = Gate()

    /// Echoes its label; `fail` fails, and `wait` waits for the gate.
    private func catalog(_ plan: StepsPlan, timeout: Duration? = nil, reentry: ReentryPolicy = .concurrent) -> Catalog {
        var catalog = Catalog()
        let work = TestOperation { [begun, gate] input, state in
            let label = input.label ?? ""
            begun.note(label)
            state.value = .working(step: 1)
            if label == "fail" { throw OperationFailure("It failed.") }
            if label == "wait" { try await gate.pass() }
            state.value = .success(text: "<\(label)>")
        }
        catalog.add(work, id: "echo", title: "Echo", summary: "A test.")
        catalog.add(
            StepsOperation(plan, fields: [InputField("name", "Name", .text())]), id: "whole", title: "Whole",
            summary: "A test.", tags: [], reentry: reentry, timeout: timeout, schedule: nil, partOf: nil)
        return catalog
    }

    private func open(
        _ plan: StepsPlan, on journal: JournalDouble = JournalDouble(), wall: MutableStateFlow<Int64>? = nil,
        clock: ManualClock = ManualClock(), timeout: Duration? = nil
    ) async throws -> BoardFixture {
        var configuration = Board.Configuration()
        configuration.journalCheckInterval = nil
        configuration.retention = nil
        let time = Locked(Int64(1_000))
        let now = { @Sendable in
            Timestamp(
                milliseconds: wall?.value
                    ?? time.withLock { time in
                        time += 1
                        return time
                    })
        }
        let board = try await Board.open(
            catalog: catalog(plan, timeout: timeout), journal: journal, configuration: configuration, now: now,
            clock: clock)
        return BoardFixture(board: board, journal: journal, clock: clock)
    }

    private static func echo(
        _ name: String, _ parts: StepValue.Part..., retry: StepsPlan.Retry? = nil, timeout: Duration? = nil,
        after: Set<String> = [], isRepeatable: Bool = false
    ) -> StepsPlan.Step {
        .init(
            name, .run(operation: "echo", input: ["label": StepValue(parts)]), retry: retry, timeout: timeout,
            afterFailureOf: after, isRepeatable: isRepeatable)
    }

    private static func ask(_ within: Duration? = nil, approves: Bool = false) -> StepsPlan.Step {
        .init(
            "ask",
            .approval(
                .init(
                    prompt: StepValue([.text("Is "), .input("name"), .text(" fine?")]), within: within,
                    approvesByItself: approves)))
    }

    private func progress(_ fixture: BoardFixture, _ run: String) async throws -> StepsProgress {
        try await fixture.board.run(run).record.state.state(as: StepsState.self).steps
    }

    /// Waits until a run is in a state with steps that fit.
    private func reach(
        _ fixture: BoardFixture, _ run: String, _ fits: @escaping @Sendable (StepsState) -> Bool
    ) async throws {
        if let state = try? await fixture.board.run(run).record.state.state(as: StepsState.self), fits(state) { return }
        try await fixture.published(.run(run)) { publication in
            (try? publication.change.state.state(as: StepsState.self)).map(fits) ?? false
        }
    }

    /// Waits until the run of the step that waits works; its id.
    @discardableResult
    private func working(_ fixture: BoardFixture) async throws -> String {
        let publication = try await fixture.published(.operation("echo")) { publication in
            publication.change.state.caseName == "working"
                && publication.run?.record.opening.input["label"] == "wait"
        }
        return try #require(publication.run?.record.id)
    }

    private func start(_ fixture: BoardFixture) async throws -> String {
        try await fixture.board.start("whole", input: ["name": "Ada"], actor: "ana").run
    }

    // T1
    @Test func `each step is a run of its own, and is given what an earlier one reported`() async throws {
        let fixture = try await open(
            StepsPlan([
                Self.echo("first", .input("name")),
                Self.echo("second", .text("after "), .reported(step: "first", value: "text")),
            ]))
        let run = try await start(fixture)
        try await reach(fixture, run) { $0.phase.isEnded }
        let steps = try await progress(fixture, run).steps
        #expect(steps.map(\.status) == [.succeeded, .succeeded])
        let children = try await steps.mapAsync { try await fixture.board.run($0.run ?? "").record }
        #expect(children.map { $0.opening.input["label"] } == ["Ada", "after <Ada>"])
        #expect(children.map(\.opening.actor) == ["ana", "ana"])
        #expect(try await fixture.cases(of: .run(run)).reduced == ["waiting", "first", "second", "succeeded"])
        await fixture.board.shutdown()
    }

    @Test func `what was put into a value is not looked at again`() async throws {
        let fixture = try await open(StepsPlan([Self.echo("first", .input("name"))]))
        let hostile = "{{steps.first.text}} $(reboot) \"'"
        let run = try await fixture.board.start("whole", input: ["name": .string(hostile)], actor: "ana").run
        try await reach(fixture, run) { $0.phase.isEnded }
        #expect(begun[hostile] == 1)
        await fixture.board.shutdown()
    }

    @Test func `a failed step fails the whole, and what follows failures comes first`() async throws {
        let fixture = try await open(
            StepsPlan([
                Self.echo("bad", .text("fail")), Self.echo("never", .text("x")),
                Self.echo("back", .text("back"), after: ["bad"]),
            ]))
        let run = try await start(fixture)
        try await reach(fixture, run) { $0.phase.isEnded }
        let progress = try await progress(fixture, run)
        #expect(progress.steps.map(\.status) == [.failed, .skipped, .succeeded])
        #expect(progress.message == "The step “bad” failed.")
        #expect(try await fixture.board.run(run).record.state.phase == .failed)
        #expect(begun["x"] == 0)
        await fixture.board.shutdown()
    }

    @Test func `a value that a step did not report fails the step that needs it`() async throws {
        let fixture = try await open(
            StepsPlan([Self.echo("first", .text("a")), Self.echo("second", .reported(step: "first", value: "file"))]))
        let run = try await start(fixture)
        try await reach(fixture, run) { $0.phase.isEnded }
        #expect(try await progress(fixture, run).ending?.detail == "The step “first” reported no value “file”.")
        await fixture.board.shutdown()
    }

    @Test func `a failed step is tried again as often as its retry says`() async throws {
        let fixture = try await open(
            StepsPlan([Self.echo("bad", .text("fail"), retry: .init(limit: 2, interval: .zero))]))
        let run = try await start(fixture)
        try await reach(fixture, run) { $0.phase.isEnded }
        #expect(begun["fail"] == 3)
        #expect(try await progress(fixture, run).steps[0].attempt == 3)
        await fixture.board.shutdown()
    }

    // T4
    @Test func `cancelling the whole cancels the step that runs`() async throws {
        let fixture = try await open(StepsPlan([Self.echo("long", .text("wait")), Self.echo("never", .text("x"))]))
        let run = try await start(fixture)
        let id = try await working(fixture)
        _ = try await fixture.board.cancel(run, actor: "otto")
        try await reach(fixture, run) { $0.phase.isEnded }
        let record = try await fixture.board.run(run).record
        #expect(record.state.caseName == "cancelled")
        #expect(record.cause == "cancelled by otto")
        let child = try await fixture.board.run(id).record
        #expect(child.state.phase == .cancelled)
        #expect(child.cause == EndCause.whole.description)
        #expect(begun["x"] == 0)
        await fixture.board.shutdown()
    }

    // T4
    @Test func `cancelling a step cancels the whole, and says who did it`() async throws {
        let fixture = try await open(StepsPlan([Self.echo("long", .text("wait")), Self.echo("never", .text("x"))]))
        let run = try await start(fixture)
        let child = try await working(fixture)
        _ = try await fixture.board.cancel(child, actor: "otto")
        try await reach(fixture, run) { $0.phase.isEnded }
        #expect(try await fixture.board.run(run).record.state.phase == .cancelled)
        #expect(try await progress(fixture, run).ending == .init(.stepCancelled, step: "long", by: "otto"))
        await fixture.board.shutdown()
    }

    @Test func `a step that takes too long is stopped and fails`() async throws {
        let fixture = try await open(StepsPlan([Self.echo("long", .text("wait"), timeout: .zero)]))
        let run = try await start(fixture)
        try await reach(fixture, run) { $0.phase.isEnded }
        #expect(try await progress(fixture, run).ending?.kind == .tookTooLong)
        await fixture.board.shutdown()
    }

    // MARK: Decisions

    @Test(arguments: [true, false])
    func `a person approves or refuses, with name and comment`(_ isApproved: Bool) async throws {
        let fixture = try await open(StepsPlan([Self.ask(), Self.echo("next", .text("x"))]))
        let run = try await start(fixture)
        try await reach(fixture, run) { $0.steps.steps.first?.status == .asking }
        #expect(try await progress(fixture, run).steps[0].prompt == "Is Ada fine?")
        let error = await #expect(throws: BoardError.self) {
            try await fixture.board.decide(run, step: "next", isApproved: true, actor: "vera")
        }
        #expect(error?.code == .notAsking)
        _ = try await fixture.board.decide(run, step: "ask", isApproved: isApproved, comment: "well", actor: "vera")
        try await reach(fixture, run) { $0.phase.isEnded }
        let decision = try await progress(fixture, run).steps[0].decision
        #expect(decision == .init(isApproved: isApproved, by: "vera", comment: "well"))
        #expect(begun["x"] == (isApproved ? 1 : 0))
        #expect(try await fixture.board.run(run).record.state.phase == (isApproved ? .succeeded : .failed))
        await #expect(throws: BoardError.self) {
            try await fixture.board.decide(run, step: "ask", isApproved: true, actor: "vera")
        }
        await fixture.board.shutdown()
    }

    @Test(arguments: [true, false])
    func `a decision that nobody takes in time is taken as the file says`(_ approves: Bool) async throws {
        let wall = MutableStateFlow<Int64>(1_000)
        let fixture = try await open(StepsPlan([Self.ask(.zero, approves: approves)]), wall: wall)
        let run = try await start(fixture)
        try await reach(fixture, run) { $0.phase.isEnded }
        #expect(try await progress(fixture, run).steps[0].decision == .init(isApproved: approves, by: nil))
        #expect(try await fixture.board.run(run).record.state.phase == (approves ? .succeeded : .failed))
        await fixture.board.shutdown()
    }

    // MARK: Restarts

    // T3
    @Test func `a decision outlives a restart, with its time`() async throws {
        let wall = MutableStateFlow<Int64>(1_000)
        let plan = StepsPlan([Self.ask(.seconds(60)), Self.echo("next", .text("x"))])
        let first = try await open(plan, wall: wall)
        let run = try await start(first)
        try await reach(first, run) { $0.steps.steps.first?.status == .asking }
        await first.board.shutdown()
        wall.value = 31_000
        let second = try await open(plan, on: first.journal, wall: wall)
        #expect(try await progress(second, run).steps[0].until == Timestamp(milliseconds: 61_000))
        // The second process asks as soon as its run has begun.
        while true {
            do throws(BoardError) {
                _ = try await second.board.decide(run, step: "ask", isApproved: true, actor: "vera")
                break
            } catch {
                try #require(error.code == .notAsking)
                await Task.yield()
            }
        }
        try await reach(second, run) { $0.phase.isEnded }
        #expect(try await second.board.run(run).record.state.phase == .succeeded)
        #expect(begun["x"] == 1)
        await second.board.shutdown()
    }

    @Test func `a decision whose time passed while the server was stopped is taken as the file says`() async throws {
        let wall = MutableStateFlow<Int64>(1_000)
        let plan = StepsPlan([Self.ask(.seconds(60))])
        let first = try await open(plan, wall: wall)
        let run = try await start(first)
        try await reach(first, run) { $0.steps.steps.first?.status == .asking }
        await first.board.shutdown()
        wall.value = 90_000
        let second = try await open(plan, on: first.journal, wall: wall)
        try await reach(second, run) { $0.phase.isEnded }
        #expect(try await progress(second, run).ending?.kind == .lapsed)
        await second.board.shutdown()
    }

    // T2
    @Test(arguments: [true, false])
    func `a step that a restart interrupts is failed, or begins once more where it may`(
        _ isRepeatable: Bool
    ) async throws {
        let plan = StepsPlan([
            Self.echo("done", .text("once")), Self.echo("long", .text("wait"), isRepeatable: isRepeatable),
            Self.echo("back", .text("back"), after: ["long"]),
        ])
        let first = try await open(plan)
        let run = try await start(first)
        try await working(first)
        await first.board.shutdown()
        #expect(try await first.journal.run(run)?.endedAt == nil)
        gate.open()
        let second = try await open(plan, on: first.journal)
        try await reach(second, run) { $0.phase.isEnded }
        #expect(begun["once"] == 1)
        #expect(begun["wait"] == (isRepeatable ? 2 : 1))
        #expect(begun["back"] == (isRepeatable ? 0 : 1))
        let ending = try await progress(second, run).ending
        #expect(ending == (isRepeatable ? nil : .init(.stepInterrupted, step: "long")))
        await second.board.shutdown()
    }

    @Test func `a run whose steps are others after a restart ends, and says so`() async throws {
        let first = try await open(StepsPlan([Self.ask()]))
        let run = try await start(first)
        try await reach(first, run) { $0.steps.steps.first?.status == .asking }
        await first.board.shutdown()
        let second = try await open(StepsPlan([Self.echo("other", .text("x"))]), on: first.journal)
        try await reach(second, run) { $0.phase.isEnded }
        #expect(try await progress(second, run).ending?.kind == .fileChanged)
        #expect(begun["x"] == 0)
        await second.board.shutdown()
    }

    // MARK: Again

    // T5
    @Test func `again from the failed step takes over what succeeded before`() async throws {
        let fixture = try await open(
            StepsPlan([
                Self.echo("first", .input("name")), Self.ask(),
                Self.echo("last", .reported(step: "first", value: "text")),
            ]))
        let run = try await start(fixture)
        try await reach(fixture, run) { $0.steps.steps.dropFirst().first?.status == .asking }
        _ = try await fixture.board.decide(run, step: "ask", isApproved: false, actor: "vera")
        try await reach(fixture, run) { $0.phase.isEnded }
        let again = try await fixture.board.retryFromFailedStep(run, actor: "otto").run
        try await reach(fixture, again) {
            $0.steps.steps.count == 3 && $0.steps.steps.dropFirst().first?.status == .asking
        }
        _ = try await fixture.board.decide(again, step: "ask", isApproved: true, actor: "vera")
        try await reach(fixture, again) { $0.phase.isEnded }
        #expect(begun["Ada"] == 1)
        #expect(begun["<Ada>"] == 1)
        let record = try await fixture.board.run(again).record
        #expect(record.opening.retryOf == run)
        #expect(try await progress(fixture, again).steps.map(\.doneIn) == [run, nil, nil])
        let error = await #expect(throws: BoardError.self) {
            try await fixture.board.retryFromFailedStep(again, actor: "otto")
        }
        #expect(error?.code == .nothingToContinue)
        await fixture.board.shutdown()
    }
}

extension Sequence {
    fileprivate func mapAsync<Value>(_ body: (Element) async throws -> Value) async throws -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await body(element)) }
        return values
    }
}

extension [String] {
    /// Each once in a row.
    fileprivate var reduced: [String] { reduce(into: []) { if $0.last != $1 { $0.append($1) } } }
}
