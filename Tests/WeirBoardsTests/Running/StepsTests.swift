import Testing
import WeirJournals
import WeirOperations
import WeirStates

@testable import WeirBoards

/// Runs of steps: each step a run of its own, what it is given, and what its end makes of the whole.
@Suite(.timeLimit(.minutes(15))) struct StepsTests {
    private let setup = StepsFixture()

    // T1
    @Test func `each step is a run of its own, and is given what an earlier one reported`() async throws {
        let fixture = try await setup.open(
            StepsPlan([
                StepsFixture.echo("first", .input("name")),
                StepsFixture.echo("second", .text("after "), .reported(step: "first", value: "text")),
            ]))
        let run = try await setup.start(fixture)
        try await setup.reach(fixture, run) { $0.phase.isEnded }
        let steps = try await setup.progress(fixture, run).steps
        #expect(steps.map(\.status) == [.succeeded, .succeeded])
        let children = try await steps.mapAsync { try await fixture.board.run($0.run ?? "") }
        #expect(children.map { $0.opening.input["label"] } == ["Ada", "after <Ada>"])
        #expect(children.map(\.opening.actor) == ["ana", "ana"])
        #expect(try await fixture.cases(of: .run(run)).reduced == ["waiting", "first", "second", "succeeded"])
        await fixture.board.shutdown()
    }

    @Test func `what was put into a value is not looked at again`() async throws {
        let fixture = try await setup.open(StepsPlan([StepsFixture.echo("first", .input("name"))]))
        let hostile = "{{steps.first.text}} $(reboot) \"'"
        let run = try await fixture.board.start("whole", input: ["name": .string(hostile)], actor: "ana").run
        try await setup.reach(fixture, run) { $0.phase.isEnded }
        #expect(setup.begun[hostile] == 1)
        await fixture.board.shutdown()
    }

    @Test func `a failed step fails the whole, and what follows failures comes first`() async throws {
        let fixture = try await setup.open(
            StepsPlan([
                StepsFixture.echo("bad", .text("fail")), StepsFixture.echo("never", .text("x")),
                StepsFixture.echo("back", .text("back"), after: ["bad"]),
            ]))
        let run = try await setup.start(fixture)
        try await setup.reach(fixture, run) { $0.phase.isEnded }
        let progress = try await setup.progress(fixture, run)
        #expect(progress.steps.map(\.status) == [.failed, .skipped, .succeeded])
        #expect(progress.message == "The step “bad” failed.")
        #expect(try await fixture.board.run(run).state.phase == .failed)
        #expect(setup.begun["x"] == 0)
        await fixture.board.shutdown()
    }

    @Test func `a value that a step did not report fails the step that needs it`() async throws {
        let fixture = try await setup.open(
            StepsPlan([
                StepsFixture.echo("first", .text("a")),
                StepsFixture.echo("second", .reported(step: "first", value: "file")),
            ]))
        let run = try await setup.start(fixture)
        try await setup.reach(fixture, run) { $0.phase.isEnded }
        #expect(try await setup.progress(fixture, run).ending?.detail == "The step “first” reported no value “file”.")
        await fixture.board.shutdown()
    }

    @Test func `a step that needs a value of a skipped one says that it was skipped`() async throws {
        let fixture = try await setup.open(
            StepsPlan([
                StepsFixture.echo("first", .text("a")), StepsFixture.echo("undo", .text("b"), after: ["first"]),
                StepsFixture.echo("last", .reported(step: "undo", value: "text")),
            ]))
        let run = try await setup.start(fixture)
        try await setup.reach(fixture, run) { $0.phase.isEnded }
        #expect(
            try await setup.progress(fixture, run).ending?.detail
                == "The step “undo” was skipped, so that it has no value “text”.")
        await fixture.board.shutdown()
    }

    @Test func `a step whose input does not fit its operation fails the whole, and says why`() async throws {
        let step = StepsPlan.Step("first", .run(operation: "echo", input: ["strange": StepValue([.text("a")])]))
        let fixture = try await setup.open(StepsPlan([step]))
        let run = try await setup.start(fixture)
        try await setup.reach(fixture, run) { $0.phase.isEnded }
        let ending = try #require(try await setup.progress(fixture, run).ending)
        #expect(ending.kind == .notStarted && ending.step == "first" && ending.detail?.contains("strange") == true)
        #expect(try await fixture.board.run(run).state.phase == .failed)
        await fixture.board.shutdown()
    }

    @Test func `a failed step is tried again as often as its retry says`() async throws {
        let fixture = try await setup.open(
            StepsPlan([StepsFixture.echo("bad", .text("fail"), retry: .init(limit: 2, interval: .zero))]))
        let run = try await setup.start(fixture)
        try await setup.reach(fixture, run) { $0.phase.isEnded }
        #expect(setup.begun["fail"] == 3)
        #expect(try await setup.progress(fixture, run).steps[0].attempt == 3)
        await fixture.board.shutdown()
    }

    // T4
    @Test func `cancelling the whole cancels the step that runs`() async throws {
        let fixture = try await setup.open(
            StepsPlan([StepsFixture.echo("long", .text("wait")), StepsFixture.echo("never", .text("x"))]))
        let run = try await setup.start(fixture)
        let id = try await setup.working(fixture)
        _ = try await fixture.board.cancel(run, actor: "otto")
        try await setup.reach(fixture, run) { $0.phase.isEnded }
        let record = try await fixture.board.run(run)
        #expect(record.state.caseName == "cancelled")
        #expect(record.cause == "cancelled by otto")
        let child = try await fixture.board.run(id)
        #expect(child.state.phase == .cancelled)
        #expect(child.cause == EndCause.whole.description)
        #expect(setup.begun["x"] == 0)
        await fixture.board.shutdown()
    }

    // T4
    @Test func `cancelling a step cancels the whole, and says who did it`() async throws {
        let fixture = try await setup.open(
            StepsPlan([StepsFixture.echo("long", .text("wait")), StepsFixture.echo("never", .text("x"))]))
        let run = try await setup.start(fixture)
        let child = try await setup.working(fixture)
        _ = try await fixture.board.cancel(child, actor: "otto")
        try await setup.reach(fixture, run) { $0.phase.isEnded }
        #expect(try await fixture.board.run(run).state.phase == .cancelled)
        #expect(try await setup.progress(fixture, run).ending == .init(.stepCancelled, step: "long", by: "otto"))
        await fixture.board.shutdown()
    }

    @Test func `a step that takes too long is stopped and fails`() async throws {
        let fixture = try await setup.open(StepsPlan([StepsFixture.echo("long", .text("wait"), timeout: .zero)]))
        let run = try await setup.start(fixture)
        try await setup.reach(fixture, run) { $0.phase.isEnded }
        #expect(try await setup.progress(fixture, run).ending?.kind == .tookTooLong)
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
