import WeirJournals
package import WeirOperations
import WeirStates

/// Decides which step comes next, and what becomes of the whole: pure, without tasks or clocks.
package struct StepsMachine: Sendable, Equatable {
    /// What is to be done now.
    enum Next: Equatable {
        /// A step begins: its place, and which attempt it is.
        case begin(Int, attempt: Int)
        /// Nothing more: every step is over.
        case end
    }

    private let plan: StepsPlan
    /// How far the steps have come.
    private(set) var progress: StepsProgress

    /// Begins, or continues where a recorded progress ends.
    ///
    /// - Returns: Nil if the recorded steps are not those of the plan.
    package init?(_ plan: StepsPlan, from recorded: StepsProgress = StepsProgress()) {
        self.plan = plan
        if recorded.steps.isEmpty {
            progress = StepsProgress(plan.steps.map { .init($0.name, operation: $0.operation) })
        } else {
            guard recorded.steps.map(\.name) == plan.steps.map(\.name),
                recorded.steps.map(\.operation) == plan.steps.map(\.operation)
            else { return nil }
            progress = recorded
        }
    }

    /// The progress of another attempt: what succeeded before is done, up to the first step that did not.
    package static func takingOver(_ recorded: StepsProgress, of run: String) -> StepsProgress {
        var hasEnded = false
        return StepsProgress(
            recorded.steps.map { step in
                // What only came because something failed is no part of what is done.
                if step.status == .skipped, !hasEnded { return .init(step.name, operation: step.operation) }
                hasEnded = hasEnded || step.status != .succeeded
                guard !hasEnded else { return .init(step.name, operation: step.operation) }
                var done = step
                done.doneIn = step.doneIn ?? run
                return done
            })
    }

    /// Whether another attempt would have something to take over, and something left to do.
    package static func canContinue(_ recorded: StepsProgress) -> Bool {
        recorded.steps.contains { $0.status == .succeeded } && recorded.ending != nil
            && takingOver(recorded, of: "").steps.first { $0.doneIn == nil && $0.status == .pending } != nil
            && takingOver(recorded, of: "").steps.contains { $0.doneIn != nil }
    }

    /// What is to be done now; passes over the steps that are not needed.
    mutating func next() -> Next {
        for index in plan.steps.indices where progress.steps[index].status == .pending {
            guard isNeeded(plan.steps[index]) else {
                progress.steps[index].status = .skipped
                continue
            }
            return .begin(index, attempt: (progress.steps[index].attempt ?? 0) + 1)
        }
        return .end
    }

    private func isNeeded(_ step: StepsPlan.Step) -> Bool {
        let failed = Set(progress.steps.filter { $0.status == .failed || $0.status == .interrupted }.map(\.name))
        if step.afterFailureOf.isEmpty { return failed.isEmpty && progress.ending == nil }
        return !failed.isDisjoint(with: step.afterFailureOf)
    }

    /// The step that was going when the process ended, if one was.
    var current: Int? { progress.steps.firstIndex { !$0.status.isOver && $0.status != .pending } }

    /// Changes what is known of a step.
    mutating func change(_ index: Int, _ body: (inout StepsProgress.Step) -> Void) {
        guard progress.steps.indices.contains(index) else { return }
        body(&progress.steps[index])
    }

    /// A step is over.
    ///
    /// - Parameters:
    ///   - index: Its place.
    ///   - status: How it ended.
    ///   - at: When.
    ///   - ending: Why the whole run will not succeed, unless it is known already.
    mutating func end(_ index: Int, _ status: StepsProgress.Status, at: Timestamp, _ ending: StepsProgress.Ending?) {
        change(index) {
            $0.status = status
            $0.ended = at
            $0.progress = nil
        }
        if let ending, progress.ending == nil { progress.ending = ending }
    }

    /// The state of the whole run: between two steps it is still at the first of them.
    var state: StepsState {
        let last = progress.steps.lastIndex { $0.began != nil && $0.doneIn == nil }
        guard let place = current ?? last else { return .waiting(progress) }
        return .at(progress.steps[place].name, progress)
    }

    /// The state in which it ends once nothing is left to do.
    var end: StepsState {
        switch progress.ending?.kind {
        case nil: .succeeded(progress)
        case .stepCancelled: .cancelled(progress)
        default: .failed(progress)
        }
    }
}
