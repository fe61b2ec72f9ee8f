import TestSupport
import Testing
import WeirJournals
import WeirOperations
import WeirStates

@testable import WeirBoards

/// Random graphs and sequences of steps on a board, each compared with the model of the machine.
@Suite(.timeLimit(.minutes(5))) struct StepsRunModelTests {
    private func run(_ seeds: Range<UInt64>, _ chances: StepsRunDriver.Chances) async throws {
        for seed in seeds {
            var random = SeededGenerator(seed: seed)
            let steps = RandomSteps(using: &random, sizes: 1...7)
            do {
                var driver = try await StepsRunDriver(steps, seed: random.next(), chances)
                let seen = try Seen(try await driver.perform(), driver.steps)
                try seen.compare()
                try seen.compare(driver.outcomes)
            } catch {
                Issue.record("\(error)\nseed \(seed): \(steps)")
                return
            }
        }
    }

    // T1, T6, T7, T9
    @Test func `a board performs random plans as the rules say`() async throws {
        try await run(0..<100, .init())
    }

    // T4, T7, T9
    @Test func `a cancelled run begins nothing but its final steps, and ends as cancelled`() async throws {
        try await run(100..<200, .init(cancellation: 15))
    }
}

/// The end of a run on a board.
private struct Seen {
    let record: RunRecord
    let progress: StepsProgress
    let steps: RandomSteps
    let results: [StepsModel.Result]

    init(_ record: RunRecord, _ steps: RandomSteps) throws {
        self.record = record
        progress = try record.state.state(as: StepsState.self).steps
        results = progress.steps.map { .init($0) }
        self.steps = steps
    }

    private var isCancelled: Bool { record.cause == "cancelled by otto" }

    func compare() throws {
        let begun = Set(results.indices.filter { results[$0].status != .skipped && results[$0].status != .pending })
        let decided = results.indices.filter { results[$0].status == .skipped && results[$0].because != .stopped }
        let over = begun.filter { results[$0].status != .cancelled }.union(decided)
        // Those that were stopped by a failure were so before a cancellation.
        let stopped = results.indices.filter { results[$0].because == .stopped && results[$0].step != nil }
        let ending = progress.ending
        let expected = StepsModel.results(
            steps.plan, steps.fates, cancellation: isCancelled ? .init(begun: begun, over: over.union(stopped)) : nil,
            failure: ending.map { .init(begun: begun, over: over, step: $0.step) })
        for (index, result) in results.enumerated() where result != expected[index] {
            throw StepsViolation("\(steps.names[index]) is \(result), not \(expected[index]).")
        }
        let fatal = results.indices.filter { results[$0].isFatal(steps.plan.steps[$0]) }.map { steps.names[$0] }
        if isCancelled {
            guard record.state.phase == .cancelled else { throw StepsViolation("The run is \(record.state.phase).") }
            return
        }
        guard let ending, let step = ending.step else {
            guard fatal.isEmpty, record.state.phase == .succeeded else {
                throw StepsViolation("The run is \(record.state.phase), although \(fatal) failed.")
            }
            return
        }
        let isCancelledStep = progress.steps.first { $0.name == step }?.status == .cancelled
        guard fatal.contains(step), record.state.phase == (isCancelledStep ? .cancelled : .failed) else {
            throw StepsViolation(
                "The run is \(record.state.phase), \(record.cause ?? ""), because of \(step), not of \(fatal).")
        }
    }

    /// Throws if a final step was given another outcome than that of the ordinary steps.
    func compare(_ outcomes: [String: String]) throws {
        let ordinary = steps.plan.steps.indices.filter { !steps.plan.steps[$0].isFinally }
        let fatal = ordinary.filter { results[$0].isFatal(steps.plan.steps[$0]) }.map { results[$0].status.rawValue }
        for (step, outcome) in outcomes {
            // A cancellation can come after the ordinary steps.
            let isCut = ordinary.contains { index in
                results[index].status == .cancelled && steps.fates[index].status != .cancelled
                    || results[index].because == .stopped && results[index].step == nil
            }
            if isCancelled, !isCut { continue }
            let expected =
                isCancelled
                ? ["cancelled"] : Set(fatal.map { $0 == "cancelled" ? "cancelled" : "failed" })
            guard expected.isEmpty ? outcome == "succeeded" : expected.contains(outcome) else {
                throw StepsViolation("\(step) was given the outcome \(outcome), not \(expected).")
            }
        }
    }
}
