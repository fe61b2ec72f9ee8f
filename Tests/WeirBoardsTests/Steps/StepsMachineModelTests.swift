import Foundation
import TestSupport
import Testing
import WeirOperations

@testable import WeirBoards

/// Random graphs and sequences of steps on the machine alone, each compared with a model made from the rules.
@Suite(.timeLimit(.minutes(15))) struct StepsMachineModelTests {
    private static let shares: [UInt64] = [1, 2, 3, 4]
    private static let share = 2_500

    /// Runs a share of all random plans; reports the first one that breaks a law.
    private func each(
        of share: UInt64, _ body: (_ steps: RandomSteps, _ seed: UInt64, inout SeededGenerator) throws -> Void
    ) {
        for number in 0..<UInt64(Self.share) {
            let seed = share << 32 | number
            var random = SeededGenerator(seed: seed)
            let steps = RandomSteps(using: &random)
            do {
                try body(steps, random.next(), &random)
            } catch {
                Issue.record("\(error)\nseed \(seed): \(steps)")
                return
            }
        }
    }

    // T6, T7, T9
    @Test(arguments: shares)
    func `the steps of ten thousand random plans end as the rules say, whenever the run is cancelled`(
        _ share: UInt64
    ) {
        each(of: share) { steps, seed, random in
            let isCancelled = random.isLikely(1, of: 3)
            var driver = try StepsDriver(steps, seed: seed, chanceOfCancellation: isCancelled ? 10 : 0)
            try driver.run()
            try driver.compare()
        }
    }

    // T2, T9
    @Test(arguments: shares.prefix(1))
    func `a machine made from the recorded progress continues so that nothing differs`(_ share: UInt64) {
        var restarts = 0
        each(of: share) { steps, seed, random in
            let isCancelled = random.isLikely(1, of: 3)
            var driver = try StepsDriver(
                steps, seed: seed, chanceOfCancellation: isCancelled ? 10 : 0, chanceOfRestart: 20)
            try driver.run()
            try driver.compare()
            restarts += driver.restarts
        }
        #expect(restarts > Self.share)
    }

    @Test func `a record that reuses the steps of the last one is the record of its state, and is read so`() throws {
        for seed in 0..<60 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            var driver = try StepsDriver(
                RandomSteps(using: &random), seed: seed, chanceOfCancellation: 5, comparesRecords: true)
            try driver.run()
        }
    }

    // T6
    @Test func `the order in which steps end changes none of their results`() {
        each(of: 5) { steps, seed, random in
            guard !steps.plan.stopsAfterFailure else { return }
            var (one, other) = (try StepsDriver(steps, seed: seed), try StepsDriver(steps, seed: random.next()))
            try one.run()
            try other.run()
            guard one.results == other.results else {
                throw StepsViolation("\(one.results)\n\(other.results)")
            }
        }
    }

    @Test func `the progress of a sequence that an earlier version recorded is continued`() throws {
        let plan = StepsPlan([
            .init("copy", .run(operation: "a", input: [:])), .init("undo", .run(operation: "b", input: [:])),
            .init("ask", .approval(.init(prompt: StepValue([.text("?")])))),
        ])
        let recorded = """
            {"steps": [{"name": "copy", "operation": "a", "status": "succeeded", "run": "r1", "attempt": 1,
            "began": "2026-11-20T10:00:00.000Z", "ended": "2026-11-20T10:00:07.000Z"},
            {"name": "undo", "operation": "b", "status": "skipped"}, {"name": "ask", "status": "pending"}]}
            """
        let progress = try JSONDecoder().decode(StepsProgress.self, from: Data(recorded.utf8))
        var machine = try #require(StepsMachine(plan, from: progress))
        #expect(machine.next() == [.init(2, attempt: 1)])
        #expect(!progress.isGraph && progress.stop == nil)
    }
}

extension StepsDriver {
    var results: [StepsModel.Result] { machine.progress.steps.map { .init($0) } }

    /// Throws if a step or the whole run did not end as the model says.
    func compare(kept: [Int: StepsModel.Result] = [:]) throws {
        let expected = StepsModel.results(
            steps.plan, steps.fates, cancellation: cancellation, failure: failure, kept: kept)
        for (index, result) in results.enumerated() where result != expected[index] {
            throw StepsViolation("\(steps.names[index]) is \(result), not \(expected[index]).")
        }
        let fatal = ends.first { expected[$0].isFatal(steps.plan.steps[$0]) }
        guard machine.progress.ending?.step == fatal.map({ steps.names[$0] }) else {
            throw StepsViolation("The run ends because of \(machine.progress.ending?.step ?? "nothing").")
        }
        let end = fatal.map { expected[$0].status == .cancelled ? "cancelled" : "failed" } ?? "succeeded"
        guard machine.end.name == end else { throw StepsViolation("The run is \(machine.end.name), not \(end).") }
        let isOrdinary = fatal.map { !steps.plan.steps[$0].isFinally } ?? true
        let outcome = cancellation == nil ? isOrdinary ? end : "succeeded" : "cancelled"
        guard machine.outcome == outcome else {
            throw StepsViolation("The outcome of the ordinary steps is \(machine.outcome), not \(outcome).")
        }
        let failed = steps.plan.steps.indices.filter { index in
            (expected[index].status == .failed || expected[index].status == .interrupted)
                && !steps.plan.steps[index].allowsFailure && !steps.plan.steps[index].isFinally
        }
        guard machine.failedSteps == failed.map({ steps.names[$0] }) else {
            throw StepsViolation("The failed steps are \(machine.failedSteps).")
        }
    }
}
