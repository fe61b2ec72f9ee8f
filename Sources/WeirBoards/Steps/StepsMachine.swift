import WeirJournals
package import WeirOperations
import WeirStates

/// Decides which step comes next and how the whole run ends; pure, without tasks or clocks.
package struct StepsMachine: Sendable, Equatable {
    enum Next: Equatable {
        /// Begin the step at that index.
        case begin(Int, attempt: Int)
        case end
    }

    private let plan: StepsPlan
    private(set) var progress: StepsProgress

    /// Starts from the beginning, or continues from a recorded progress.
    ///
    /// - Returns: Nil if the recorded steps differ from those of the plan.
    package init?(_ plan: StepsPlan, from recorded: StepsProgress = StepsProgress()) {
        self.plan = plan
        if recorded.steps.isEmpty {
            progress = StepsProgress(of: plan)
        } else {
            guard recorded.steps.map(\.name) == plan.steps.map(\.name),
                recorded.steps.map(\.operation) == plan.steps.map(\.operation)
            else { return nil }
            progress = recorded
        }
    }

    /// The progress of a retry, which takes over the succeeded steps up to the first one that did not succeed.
    static func takingOver(_ recorded: StepsProgress, of run: String) -> StepsProgress {
        var hasEnded = false
        return StepsProgress(
            recorded.steps.map { step in
                // A step that runs only after a failure is not taken over.
                if step.status == .skipped, !hasEnded { return .init(step.name, operation: step.operation) }
                hasEnded = hasEnded || step.status != .succeeded
                guard !hasEnded else { return .init(step.name, operation: step.operation) }
                var done = step
                done.doneIn = step.doneIn ?? run
                return done
            })
    }

    /// Whether a retry could take over at least one step and has at least one left to run.
    package static func canContinue(_ recorded: StepsProgress) -> Bool {
        recorded.steps.contains { $0.status == .succeeded } && recorded.ending != nil
            && takingOver(recorded, of: "").steps.first { $0.doneIn == nil && $0.status == .pending } != nil
            && takingOver(recorded, of: "").steps.contains { $0.doneIn != nil }
    }

    /// Returns the next thing to do, and marks the steps before it that are not needed as skipped.
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

    /// The index of the step that has begun and is not over.
    var current: Int? { progress.steps.firstIndex { !$0.status.isOver && $0.status != .pending } }

    mutating func change(_ index: Int, _ body: (inout StepsProgress.Step) -> Void) {
        guard progress.steps.indices.contains(index) else { return }
        body(&progress.steps[index])
    }

    /// Ends a step; `ending` says why the whole run will not succeed, and the first reason is kept.
    mutating func end(_ index: Int, _ status: StepsProgress.Status, at: Timestamp, _ ending: StepsProgress.Ending?) {
        change(index) {
            $0.status = status
            $0.ended = at
            $0.progress = nil
        }
        if let ending, progress.ending == nil { progress.ending = ending }
    }

    /// The state of the whole run; between two steps, the first of them is still current.
    var state: StepsState {
        let last = progress.steps.lastIndex { $0.began != nil && $0.doneIn == nil }
        guard let place = current ?? last else { return .waiting(progress) }
        return .at(progress.steps[place].name, progress)
    }

    var end: StepsState {
        switch progress.ending?.kind {
        case nil: .succeeded(progress)
        case .stepCancelled: .cancelled(progress)
        default: .failed(progress)
        }
    }
}
