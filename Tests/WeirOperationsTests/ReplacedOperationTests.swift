import Testing
import TestSupport
import WeirFlows
import WeirOperations
import WeirStates

/// What is run changes while runs are going.
@Suite(.timeLimit(.minutes(15))) struct ReplacedOperationTests {
    private func saying(_ word: String, _ gate: Gate) -> TestOperation {
        TestOperation { _, state in
            state.value = .working(step: 1)
            try await gate.pass()
            state.value = .success(text: word)
        }
    }

    @Test func `a run keeps the operation that it was started with, also one that waits for its turn`() async throws {
        let gate = Gate()
        let runner = OperationRunner(saying("old", gate), reentry: .queue)
        let runs = [try runner.start(TestInput()), try runner.start(TestInput())]
        runner.replace(saying("new", gate), reentry: .queue, timeout: nil)
        let next = try runner.start(TestInput())
        gate.open()
        for run in runs + [next] { _ = await run.outcome() }
        #expect(runs.map(\.state.value) == [.success(text: "old"), .success(text: "old")])
        #expect(next.state.value == .success(text: "new"))
    }

    @Test func `runs of before count for the policy of now`() async throws {
        let gate = Gate()
        let runner = OperationRunner(saying("old", gate), reentry: .concurrent)
        let first = try runner.start(TestInput(), id: "a")
        runner.replace(saying("new", gate), reentry: .ignore, timeout: nil)
        #expect(throws: OperationBusy(run: "a")) { try runner.start(TestInput(), id: "b") }
        gate.open()
        _ = await first.outcome()
        #expect(first.state.value == .success(text: "old"))
    }

    @Test func `what waits for its turn comes to it, whatever the policy has become`() async throws {
        let gate = Gate()
        let runner = OperationRunner(saying("old", gate), reentry: .queue)
        let runs = [try runner.start(TestInput()), try runner.start(TestInput())]
        runner.replace(saying("new", gate), reentry: .ignore, timeout: nil)
        gate.open()
        for run in runs { _ = await run.outcome() }
        #expect(runs[1].state.value == .success(text: "old"))
    }
}
