import WeirJournals
import WeirOperations
import WeirStates

/// Decides which steps begin and how the whole run ends; pure, without tasks or clocks.
///
/// In a sequence, each step waits for the one before it. In a graph, a step waits for those that it needs, and up to
/// `atOnce` steps run at the same time; approvals do not count. Steps that are declared as `finally` follow all others.
package struct StepsMachine: Sendable, Equatable {
    /// A step that begins, by its index.
    struct Begin: Sendable, Hashable {
        let index: Int
        let attempt: Int

        init(_ index: Int, attempt: Int) { (self.index, self.attempt) = (index, attempt) }
    }

    private enum Verdict {
        case wait, begin
        case skip(StepsProgress.Because)
    }

    private let plan: StepsPlan
    /// For each step, the indices of the steps that it needs, as declared.
    private let needs: [[Int]]
    /// For each step, the indices of those after whose failure it runs.
    private let failures: [[Int]]
    private(set) var progress: StepsProgress
    /// The steps that have begun and are not over.
    private(set) var active: Set<Int> = []
    /// Whether the whole run was cancelled or exceeded its time limit.
    private(set) var isStopped = false

    /// Starts from the beginning, or continues from a recorded progress.
    ///
    /// - Returns: Nil if the recorded steps differ from those of the plan.
    init?(_ plan: StepsPlan, from recorded: StepsProgress = StepsProgress()) {
        self.plan = plan
        let places = Dictionary(plan.steps.enumerated().map { ($1.name, $0) }) { first, _ in first }
        needs = plan.steps.map { ($0.needs ?? []).compactMap { places[$0] } }
        failures = plan.steps.map { $0.afterFailureOf.compactMap { places[$0] } }
        let begun = StepsProgress(of: plan)
        guard !recorded.steps.isEmpty else {
            progress = begun
            return
        }
        let isSame = zip(recorded.steps, begun.steps).allSatisfy { one, other in
            one.name == other.name && one.operation == other.operation && one.needs == other.needs
                && one.isFinally == other.isFinally
        }
        guard isSame, recorded.steps.count == begun.steps.count else { return nil }
        progress = recorded
        active = Set(current)
    }

    /// Returns the steps that begin now, and marks those that are not needed as skipped.
    mutating func next() -> [Begin] {
        var begins: [Begin] = []
        var hasChanged = true
        while hasChanged {
            hasChanged = false
            for index in order where progress.steps[index].status == .pending && !active.contains(index) {
                switch verdict(on: index) {
                case .wait: break
                case .skip(let because):
                    progress.steps[index].status = .skipped
                    progress.steps[index].because = because
                    hasChanged = true
                case .begin:
                    guard hasRoom(for: index) else { break }
                    active.insert(index)
                    begins.append(Begin(index, attempt: (progress.steps[index].attempt ?? 0) + 1))
                }
            }
        }
        return begins
    }

    /// The indices of the steps that have begun and are not over.
    var current: [Int] {
        progress.steps.indices.filter { !progress.steps[$0].status.isOver && progress.steps[$0].status != .pending }
    }

    mutating func change(_ index: Int, _ body: (inout StepsProgress.Step) -> Void) {
        guard progress.steps.indices.contains(index) else { return }
        body(&progress.steps[index])
    }

    /// Ends a step, unless it is over; `ending` says why the whole run will not succeed, and the first reason is kept.
    mutating func end(
        _ index: Int, _ status: StepsProgress.Status, at: Timestamp, _ ending: StepsProgress.Ending?,
        because: StepsProgress.Because? = nil
    ) {
        guard progress.steps.indices.contains(index), !progress.steps[index].status.isOver else { return }
        active.remove(index)
        change(index) {
            ($0.status, $0.ended, $0.progress, $0.because) = (status, at, nil, because)
        }
        if let ending, progress.ending == nil, !plan.steps[index].allowsFailure { progress.ending = ending }
    }

    /// Lets no further step begin, except those that follow all others.
    mutating func stop(_ cause: String?) {
        isStopped = true
        progress.stop = progress.stop ?? cause
    }

    // MARK: Order

    /// The indices of all steps, with those that follow all others at the end.
    private var order: [Int] {
        plan.steps.indices.filter { !plan.steps[$0].isFinally } + plan.steps.indices.filter { plan.steps[$0].isFinally }
    }

    private func hasRoom(for index: Int) -> Bool {
        guard plan.isGraph, plan.steps[index].approval == nil else { return true }
        return active.count { plan.steps[$0].approval == nil } < plan.atOnce
    }

    private func verdict(on index: Int) -> Verdict {
        let step = plan.steps[index]
        if step.isFinally { return isFinallyDue(index) ? .begin : .wait }
        if isStopped {
            // The pending steps of a cancelled sequence stay pending.
            return plan.isGraph || plan.steps.contains(where: \.isFinally) ? .skip(.init(.stopped)) : .wait
        }
        return plan.isGraph ? verdict(inGraph: index) : verdict(inSequence: index)
    }

    private func isFinallyDue(_ index: Int) -> Bool {
        order.prefix { $0 != index }.allSatisfy { other in
            progress.steps[other].status.isOver || (plan.isGraph && plan.steps[other].isFinally)
        }
    }

    private func verdict(inSequence index: Int) -> Verdict {
        guard progress.steps[..<index].allSatisfy({ $0.status.isOver || $0.isFinally }) else { return .wait }
        guard plan.steps[index].afterFailureOf.isEmpty else { return verdict(afterFailure: index) }
        let isFailed = progress.steps.contains { $0.isFailed && !$0.allowsFailure }
        guard isFailed || progress.ending != nil else { return .begin }
        return .skip(.init(.need, step: progress.ending?.step ?? progress.steps.first(where: \.isFailed)?.name))
    }

    private func verdict(inGraph index: Int) -> Verdict {
        let hasFailures = !plan.steps[index].afterFailureOf.isEmpty
        if plan.stopsAfterFailure, let ending = progress.ending, !hasFailures {
            return .skip(.init(.stopped, step: ending.step))
        }
        guard (needs[index] + failures[index]).allSatisfy({ progress.steps[$0].status.isOver }) else { return .wait }
        for need in needs[index].map({ progress.steps[$0] }) where !need.isMet {
            // The step that failed, not one between it and this one.
            let own = StepsProgress.Because(.need, step: need.name)
            return .skip(need.status == .skipped ? need.because ?? own : own)
        }
        return hasFailures ? verdict(afterFailure: index) : .begin
    }

    private func verdict(afterFailure index: Int) -> Verdict {
        failures[index].contains { progress.steps[$0].isFailed } ? .begin : .skip(.init(.noFailure))
    }
}

extension StepsMachine {
    /// The state of the whole run; between two steps, the first of them is still current.
    var state: StepsState {
        let last = progress.steps.lastIndex { $0.began != nil && $0.doneIn == nil }
        guard let place = current.first ?? last else { return .waiting(progress) }
        return .at(progress.steps[place].name, progress)
    }

    var end: StepsState {
        switch progress.ending?.kind {
        case nil: .succeeded(progress)
        case .stepCancelled: .cancelled(progress)
        default: .failed(progress)
        }
    }

    /// The outcome of the steps without `finally`: `succeeded`, `failed` or `cancelled`.
    ///
    /// In a graph, steps with `finally` run at the same time, so that none depends on the outcome of another.
    var outcome: String {
        if isStopped { return progress.stop == nil ? "failed" : "cancelled" }
        let isFinally = progress.steps.contains { $0.isFinally && $0.name == progress.ending?.step }
        return isFinally ? "succeeded" : end.name
    }

    /// The names of the steps without `finally` that make the whole run fail, in the order of the file.
    var failedSteps: [String] {
        progress.steps.filter { $0.isFailed && !$0.allowsFailure && !$0.isFinally }.map(\.name)
    }
}

extension StepsProgress.Step {
    var isFailed: Bool { status == .failed || status == .interrupted }

    /// Whether a step that needs it can begin.
    var isMet: Bool {
        switch status {
        case .succeeded: true
        case .skipped:
            switch because?.kind {
            case .condition, .noFailure, nil: true
            case .need, .stopped: false
            }
        case .failed, .cancelled, .interrupted: allowsFailure
        case .pending, .running, .asking, .retrying: false
        }
    }
}
