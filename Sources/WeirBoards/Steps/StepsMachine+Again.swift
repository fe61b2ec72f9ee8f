import WeirOperations

extension StepsMachine {
    /// The progress of a new run that repeats the steps that did not succeed, the one named by `start`, and all that
    /// depend on these; the others are taken over.
    ///
    /// Of a step that runs once for each of a list, only the items that did not succeed are repeated.
    static func takingOver(_ recorded: StepsProgress, of run: String, from start: String? = nil) -> StepsProgress {
        let repeated = repeatedSteps(recorded, from: start)
        return StepsProgress(
            recorded.steps.map { step in
                if let reason = repeated[step.name] { return step.again(of: run, keepsItems: reason == .itself) }
                var done = step
                if step.status != .skipped { done.doneIn = step.doneIn ?? run }
                return done
            })
    }

    /// Whether a new run can take over at least one step and has at least one left to run.
    package static func canContinue(_ recorded: StepsProgress) -> Bool {
        guard recorded.ending != nil || recorded.steps.contains(where: { $0.status.isOver && !$0.isMet }) else {
            return false
        }
        let steps = takingOver(recorded, of: "").steps
        return steps.contains { $0.doneIn != nil || $0.items?.doneIn != nil }
            && steps.contains { $0.status == .pending }
    }

    /// Whether a new run can begin at a step of an ended run.
    static func canBegin(at step: String, in recorded: StepsProgress) -> Bool {
        recorded.steps.contains { $0.name == step }
    }

    private enum Reason { case itself, dependence }

    /// The steps to repeat, and whether that is because of themselves or of a step that they need.
    private static func repeatedSteps(_ recorded: StepsProgress, from start: String?) -> [String: Reason] {
        var repeated: [String: Reason] = [:]
        for step in recorded.steps where !step.isMet { repeated[step.name] = .itself }
        for step in recorded.steps where step.isFinally || step.name == start { repeated[step.name] = .dependence }
        var hasChanged = true
        while hasChanged {
            hasChanged = false
            for (index, step) in recorded.steps.enumerated() where repeated[step.name] != .dependence {
                let before = recorded.isGraph ? [] : recorded.steps[..<index].filter { !$0.isFinally }.map(\.name)
                guard (step.needs ?? before).contains(where: { repeated[$0] != nil }) else { continue }
                repeated[step.name] = .dependence
                hasChanged = true
            }
        }
        return repeated
    }
}

extension StepsProgress.Step {
    fileprivate func again(of run: String, keepsItems: Bool) -> StepsProgress.Step {
        var step = StepsProgress.Step(name, operation: operation)
        step.title = title
        (step.needs, step.allowsFailure, step.isFinally) = (needs, allowsFailure, isFinally)
        if keepsItems, let items, items.succeeded > 0 { step.items = items.again(of: run) }
        return step
    }
}
