import TestSupport
import Testing
import WeirJournals
import WeirOperations
import WeirStates

@testable import WeirBoards

/// The items of a step that runs once for each of a list, the end of a repetition, and conditions.
@Suite(.timeLimit(.minutes(15))) struct StepItemTests {
    private let setup = StepsFixture()

    private func progress(_ step: StepsPlan.Step) async throws -> StepsProgress {
        let fixture = try await setup.open(StepsPlan([step]))
        let run = try await setup.start(fixture)
        try await setup.reach(fixture, run) { $0.phase.isEnded }
        let progress = try await setup.progress(fixture, run)
        await fixture.board.shutdown()
        return progress
    }

    private func each(_ list: StepsPlan.ForEach.List) -> StepsPlan.Step {
        .init(
            "each", .run(operation: "echo", input: ["label": StepValue([.special(.item(member: "name"))])]),
            forEach: .init(list))
    }

    @Test func `an item that cannot begin says why, in its step and at the end of the run`() async throws {
        let progress = try await progress(each(.fixed([["name": "a"], ["size": 3]])))
        let reason = "There is no value for {{item.name}}: the item has no such member."
        let failure = StepItems.Failure(index: 1, item: #"{"size":3}"#, run: nil, detail: reason)
        #expect(progress.steps.first?.items?.failures == [failure])
        #expect(progress.message == #"The step “each” failed for 1 of 2 items: {"size":3}. "# + reason)
        #expect(setup.begun["a"] == 1)
    }

    @Test func `lines that are JSON objects have members, whose names can differ in case`() async throws {
        let lines = StepValue([.text(#"{"name": "a"}"# + "\n" + #"{"NAME": "b", "size": 1}"#)])
        let progress = try await progress(each(.value(lines)))
        #expect(progress.ending == nil)
        #expect(setup.begun["a"] == 1 && setup.begun["b"] == 1)
    }

    @Test(arguments: [("false", true), ("true", false)])
    func `a switch that is not given is off in a condition`(_ text: String, _ runs: Bool) async throws {
        let condition = StepCondition([.init(.input("dry"), .isOneOf([text]))])
        let progress = try await progress(
            .init("step", .run(operation: "echo", input: ["label": StepValue([.text("x")])]), condition: condition))
        #expect(progress.steps.first?.status == (runs ? .succeeded : .skipped))
        #expect(setup.begun["x"] == (runs ? 1 : 0))
    }

    @Test func `the outcome of its own run can end the repetition of a step`() async throws {
        let until = StepCondition([.init(.own("outcome"), .isOneOf(["succeeded"]))])
        let progress = try await progress(
            .init(
                "ready", .run(operation: "echo", input: ["label": StepValue([.text("x")])]),
                repetition: .init(interval: .zero, until: until, limit: 2)))
        #expect(progress.ending == nil)
        #expect(setup.begun["x"] == 1)
    }
}
