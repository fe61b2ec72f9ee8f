import Testing
import WeirOperations
import WeirStates

@testable import WeirBoards

/// The sentence about the end of a run of steps.
@Suite struct StepsProgressTests {
    /// A graph of independent steps, all of which failed, the second one first.
    private func failed(_ count: Int) -> StepsProgress {
        let plan = StepsPlan(
            (1...count).map { number in
                .init(
                    "load-\(number)", .run(operation: "echo", input: [:]), title: number == 1 ? "Load Europe" : nil,
                    needs: [])
            })
        var progress = StepsProgress(of: plan)
        for index in progress.steps.indices { progress.steps[index].status = .failed }
        progress.ending = .init(.stepFailed, step: "load-2")
        return progress
    }

    @Test func `the sentence names all failed steps, by their titles`() {
        #expect(failed(2).message == "The step “load-2” failed. Also failed: “Load Europe”.")
        #expect(failed(3).message == "The step “load-2” failed. Also failed: “Load Europe”, “load-3”.")
    }

    @Test func `of many failed steps, the sentence has the first and the number of the others`() {
        let message = failed(9).message
        #expect(
            message == "The step “load-2” failed. Also failed: “Load Europe”, “load-3”, “load-4”, “load-5” and 4 more.")
    }

    @Test func `steps that may fail, and the steps of a run that succeeds, are not named`() {
        var progress = failed(2)
        progress.steps[0].allowsFailure = true
        #expect(progress.message == "The step “load-2” failed.")
        progress.ending = nil
        #expect(progress.message == nil)
    }

    @Test func `a sentence without an end is ended before the next one`() throws {
        var progress = failed(2)
        progress.ending = .init(.stepFailed, step: "load-2", detail: "no route to host")
        #expect(progress.message == "The step “load-2” failed. no route to host. Also failed: “Load Europe”.")
    }
}
