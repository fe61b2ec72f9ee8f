import TestSupport
import Testing
import WeirOperations

@testable import WeirBoards

/// Random ended runs of steps that are repeated from the failed steps or from any step.
@Suite(.timeLimit(.minutes(15))) struct StepsAgainModelTests {
    private static let shares: [UInt64] = [11, 12]
    private static let share = 2_500

    // T5, T8
    @Test(arguments: shares)
    func `a new run keeps exactly what does not depend on a repeated step, and ends as the rules say`(
        _ share: UInt64
    ) throws {
        for number in 0..<UInt64(Self.share) {
            let seed = share << 32 | number
            var random = SeededGenerator(seed: seed)
            let steps = RandomSteps(using: &random)
            let start = random.isLikely(1, of: 2) ? steps.names.randomElement(using: &random) : nil
            do {
                try check(steps, from: start, &random)
            } catch {
                Issue.record("\(error)\nseed \(seed), from \(start ?? "the failed steps"): \(steps)")
                return
            }
        }
    }

    private func check(_ steps: RandomSteps, from start: String?, _ random: inout SeededGenerator) throws {
        let isCancelled = random.isLikely(1, of: 3)
        var first = try StepsDriver(steps, seed: random.next(), chanceOfCancellation: isCancelled ? 10 : 0)
        try first.run()
        let ended = first.machine.progress
        let again = StepsMachine.takingOver(ended, of: "r1", from: start)
        try compare(again, ended, steps.plan, from: start)
        // The second run has other fates, and is itself repeated.
        var second = try StepsDriver(steps.again(again, using: &random), from: again, seed: random.next())
        try second.run()
        let kept = again.steps.indices.filter { again.steps[$0].status.isOver }
        try second.compare(kept: Dictionary(uniqueKeysWithValues: kept.map { ($0, first.results[$0]) }))
        let third = StepsMachine.takingOver(second.machine.progress, of: "r2")
        for (one, other) in zip(again.steps, third.steps) where one.doneIn != nil && other.doneIn != nil {
            guard one.doneIn == other.doneIn else {
                throw StepsViolation("\(one.name) loses the run that performed it.")
            }
        }
    }

    private func compare(
        _ again: StepsProgress, _ ended: StepsProgress, _ plan: StepsPlan, from start: String?
    ) throws {
        let (causes, repeated) = Self.repeated(ended, plan, from: start)
        guard again.ending == nil, again.stop == nil else { throw StepsViolation("It begins with an ending.") }
        for (index, step) in again.steps.enumerated() {
            let old = ended.steps[index]
            guard repeated.contains(index) else {
                guard StepsModel.Result(step) == StepsModel.Result(old), step.run == old.run, step.items == old.items,
                    step.doneIn == (old.status == .skipped ? nil : "r1")
                else { throw StepsViolation("\(step.name) is not kept: \(step)") }
                continue
            }
            guard step.status == .pending, step.doneIn == nil, step.attempt == nil, step.because == nil else {
                throw StepsViolation("\(step.name) is not repeated: \(step)")
            }
            let succeeded = causes.contains(index) ? old.items?.indices(.succeeded) ?? [] : []
            guard step.items?.indices(.succeeded) ?? [] == succeeded,
                step.items.map({ $0.count(.pending) + succeeded.count == $0.total && $0.doneIn == "r1" }) ?? true
            else { throw StepsViolation("\(step.name) keeps the items \(step.items as Any).") }
        }
    }

    /// The steps to repeat by reachability; `causes` are those that are repeated only because they did not succeed.
    private static func repeated(
        _ ended: StepsProgress, _ plan: StepsPlan, from start: String?
    ) -> (causes: Set<Int>, repeated: Set<Int>) {
        let isGraph = plan.steps.contains { $0.needs != nil }
        let unmet = plan.steps.indices.filter { !StepsModel.Result(ended.steps[$0]).isGood(plan.steps[$0]) }
        let chosen = plan.steps.indices.filter { plan.steps[$0].isFinally || plan.steps[$0].name == start }
        var (dependent, waiting) = (Set(chosen), unmet + chosen)
        while let index = waiting.popLast() {
            for (other, step) in plan.steps.enumerated() where !step.isFinally && !dependent.contains(other) {
                let depends =
                    isGraph
                    ? step.needs?.contains(plan.steps[index].name) == true
                        || step.afterFailureOf.contains(plan.steps[index].name)
                    : other > index && !plan.steps[index].isFinally
                guard depends else { continue }
                dependent.insert(other)
                waiting.append(other)
            }
        }
        return (Set(unmet).subtracting(dependent), dependent.union(unmet))
    }
}
