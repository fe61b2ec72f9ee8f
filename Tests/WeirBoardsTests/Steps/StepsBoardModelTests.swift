import TestSupport
import Testing
import WeirFlows
import WeirJournals
import WeirOperations
import WeirStates

@testable import WeirBoards

/// Random plans whose steps run on a board that is shut down at random moments, each time followed by another board on
/// the same journal.
@Suite(.timeLimit(.minutes(15))) struct StepsBoardModelTests {
    private static let seeds: UInt64 = 200

    // T2, T6
    @Test func `runs of random plans end as the rules say, whenever the server restarts`() async throws {
        var restarts = 0
        for seed in 0..<Self.seeds {
            var random = SeededGenerator(seed: 21 << 32 | seed)
            let steps = RandomSteps(using: &random).performable
            let script = StepScript(steps)
            do {
                restarts += try await script.run(&random)
            } catch {
                Issue.record("\(error)\nseed \(seed): \(steps)")
                return
            }
        }
        #expect(restarts > Int(Self.seeds))
    }
}

/// The work and the decisions of the steps of a plan, by their fates.
private final class StepScript: Sendable {
    private let steps: RandomSteps
    private let begun = Locked<[String: Int]>([:])
    private let outcomes = Locked<Set<String>>([])

    init(_ steps: RandomSteps) { self.steps = steps }

    /// Performs a run; returns the number of restarts.
    func run(_ random: inout SeededGenerator) async throws -> Int {
        let setup = StepsFixture()
        let work = TestOperation { [self] input, state in try await perform(input.label ?? "", state) }
        var fixture = try await setup.open(steps.plan, work: work)
        let run = try await setup.start(fixture)
        var (restarts, left) = (0, Int.random(in: 0...4, using: &random))
        while try await fixture.board.run(run).endedAt == nil {
            try Task.checkCancellation()
            for step in try await setup.progress(fixture, run).steps where step.status == .asking {
                try await decide(step.name, run, fixture.board)
            }
            if left > 0, random.isLikely(1, of: 6) {
                (restarts, left) = (restarts + 1, left - 1)
                await fixture.board.shutdown()
                fixture = try await setup.open(steps.plan, work: work, on: fixture.journal)
            }
            await Task.yield()
        }
        let record = try await fixture.board.run(run)
        let progress = try await setup.progress(fixture, run)
        await fixture.board.shutdown()
        try check(progress, record.state.phase, restarts: restarts)
        return restarts
    }

    // MARK: Playing

    private func fate(_ step: String) -> StepFate? {
        steps.names.firstIndex(of: step).map { steps.fates[$0] }
    }

    private func perform(_ label: String, _ state: MutableStateFlow<TestState>) async throws {
        let named = label.split(separator: "?").map(String.init)
        let parts = (named.first ?? "").split(separator: "/").map(String.init)
        let count = begun.withLock { begun in
            begun[named.first ?? "", default: 0] += 1
            return begun[named.first ?? ""] ?? 0
        }
        if named.count == 2 { outcomes.withLock { _ = $0.insert(named[1]) } }
        guard let played = fate(parts.first ?? "") else { throw OperationFailure("There is no step for “\(label)”.") }
        state.value = .working(step: 1)
        for _ in 0..<3 { await Task.yield() }
        try Task.checkCancellation()
        let item = parts.count == 2 ? Int(parts[1]) : nil
        let isGood = item.map { played.items[$0] == .succeeded } ?? (played.status == .succeeded)
        let isRetried = steps.plan.step(parts.first ?? "")?.retry != nil
        guard isGood, !isRetried || count >= played.attempts else { throw OperationFailure("It failed.") }
        state.value = .success(text: count >= played.attempts ? "done" : "not yet")
    }

    private func decide(_ step: String, _ run: String, _ board: Board) async throws {
        do throws(BoardError) {
            _ = try await board.decide(run, step: step, isApproved: fate(step)?.status == .succeeded, actor: "vera")
        } catch {
            // A board that has just opened does not ask yet, and the run can end after its steps were read.
            guard error.code == .notAsking || error.code == .alreadyEnded else { throw error }
        }
    }

    // MARK: Checking

    private func check(_ progress: StepsProgress, _ phase: Phase, restarts: Int) throws {
        let plan = steps.plan
        let results = progress.steps.map { StepsModel.Result($0) }
        // Which steps had begun before the first failure depends on the schedule.
        let begun = results.indices.filter { results[$0].status != .skipped || results[$0].because == .condition }
        let cut = progress.ending.map { StepsModel.Cut(begun: Set(begun), over: [], step: $0.step) }
        let expected = StepsModel.results(plan, steps.fates, failure: cut)
        for (index, result) in results.enumerated() where result != expected[index] {
            throw StepsViolation("\(steps.names[index]) is \(result), not \(expected[index]).")
        }
        let fatal = expected.indices.filter { expected[$0].isFatal(plan.steps[$0]) }
        guard
            progress.ending == nil ? fatal.isEmpty : fatal.contains(where: { steps.names[$0] == progress.ending?.step })
        else { throw StepsViolation("The run ends because of \(progress.ending?.step ?? "nothing").") }
        guard phase == (fatal.isEmpty ? .succeeded : .failed) else { throw StepsViolation("The run is \(phase).") }
        let ordinary = fatal.contains { !plan.steps[$0].isFinally }
        let outcomes = outcomes.withLock { $0 }
        guard outcomes.isSubset(of: [ordinary ? "failed" : "succeeded"]) else {
            throw StepsViolation("The outcomes of the ordinary steps are \(outcomes).")
        }
        for (label, count) in self.begun.withLock({ $0 }) {
            let attempts = fate(label.split(separator: "/").first.map(String.init) ?? "")?.attempts ?? 0
            guard count <= attempts + restarts else {
                throw StepsViolation("\(label) begins \(count) times in \(restarts + 1) processes.")
            }
        }
    }
}

extension RandomSteps {
    private init(plan: StepsPlan, fates: [StepFate]) { (self.plan, self.fates) = (plan, fates) }

    /// The same plan for a board: each step can be repeated after a restart, and either succeeds, fails or is skipped.
    fileprivate var performable: RandomSteps {
        var fates = fates
        let steps = plan.steps.indices.map { index -> StepsPlan.Step in
            let step = plan.steps[index]
            fates[index].items = fates[index].items.map { $0 == .succeeded ? .succeeded : .failed }
            if step.forEach != nil, fates[index].status != .skipped { fates[index].status = fates[index].statusOfItems }
            if fates[index].status == .cancelled || fates[index].status == .interrupted {
                fates[index].status = .failed
            }
            // An attempt that a restart interrupts counts, so that there are enough of them.
            let succeeds = fates[index].status == .succeeded
            if !succeeds { fates[index].attempts = 1 }
            let retry = step.retry.flatMap { succeeds ? StepsPlan.Retry(limit: 50, interval: $0.interval) : nil }
            let repetition = step.repetition.flatMap {
                succeeds ? StepsPlan.Repetition(interval: $0.interval, until: $0.until, limit: 50) : nil
            }
            return StepsPlan.Step(
                step.name, step.work, retry: retry, afterFailureOf: step.afterFailureOf, isRepeatable: true,
                needs: step.needs, allowsFailure: step.allowsFailure, isFinally: step.isFinally,
                condition: step.condition, forEach: step.forEach, repetition: repetition)
        }
        return RandomSteps(
            plan: StepsPlan(steps, atOnce: plan.atOnce, stopsAfterFailure: plan.stopsAfterFailure), fates: fates)
    }
}
