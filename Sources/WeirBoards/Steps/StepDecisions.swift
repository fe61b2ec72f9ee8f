import WeirFlows

/// The decision that a run of steps waits for: whoever comes first decides.
final class StepDecisions: Sendable {
    typealias Apply = @Sendable (StepsProgress.Decision) -> Void

    private let asking = Locked<(step: String, apply: Apply)?>(nil)

    /// Asks at a step; `apply` is called at most once.
    func open(_ step: String, apply: @escaping Apply) { asking.withLock { $0 = (step, apply) } }

    /// Decides; false if nobody is asked at that step.
    func decide(_ decision: StepsProgress.Decision, at step: String) -> Bool {
        let apply = asking.withLock { asking -> Apply? in
            guard asking?.step == step else { return nil }
            defer { asking = nil }
            return asking?.apply
        }
        apply?(decision)
        return apply != nil
    }

    /// Asks no longer.
    func close() { asking.withLock { $0 = nil } }
}
