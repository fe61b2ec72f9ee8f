import WeirFlows
import WeirOperations

/// The pending approvals of a steps run, by step; the first decision wins.
final class StepDecisions: Sendable {
    typealias Apply = @Sendable (StepsProgress.Decision) -> Void

    private let asking = Locked<[String: Apply]>([:])

    /// Opens an approval; `apply` is called at most once.
    func open(_ step: String, apply: @escaping Apply) { asking.withLock { $0[step] = apply } }

    /// Decides the approval; returns false if none is open at that step.
    func decide(_ decision: StepsProgress.Decision, at step: String) -> Bool {
        let apply = asking.withLock { $0.removeValue(forKey: step) }
        apply?(decision)
        return apply != nil
    }

    func close(_ step: String) { asking.withLock { $0[step] = nil } }
}

/// The actions that end the current waits and runs of a steps run.
final class StepStops: Sendable {
    private struct Core {
        var isStopped = false
        var next = 0
        var actions: [Int: @Sendable () -> Void] = [:]
    }

    private let core = Locked(Core())

    var isStopped: Bool { core.withLock(\.isStopped) }

    /// Adds an action, and calls it at once if the stop has already happened; returns its number.
    func add(_ action: @escaping @Sendable () -> Void) -> Int {
        let (number, isStopped) = core.withLock { core in
            core.next += 1
            core.actions[core.next] = action
            return (core.next, core.isStopped)
        }
        if isStopped { action() }
        return number
    }

    func remove(_ number: Int) { core.withLock { $0.actions[number] = nil } }

    func stop() {
        let actions = core.withLock { core in
            core.isStopped = true
            return Array(core.actions.values)
        }
        for action in actions { action() }
    }
}
