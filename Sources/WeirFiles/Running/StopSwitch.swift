import WeirFlows

/// Stops what a run does at the moment: a program, or the wait for another attempt.
final class StopSwitch: Sendable {
    private struct Core {
        var isStopped = false
        var action: (@Sendable () -> Void)?
    }

    private let core = Locked(Core())

    /// Whether the run was asked to stop.
    var isStopped: Bool { core.withLock(\.isStopped) }

    /// Asks the run to stop.
    func stop() {
        let action = core.withLock { core in
            core.isStopped = true
            return core.action
        }
        action?()
    }

    /// Says what stops the run from now on; called at once if it was asked to stop before.
    func onStop(_ action: (@Sendable () -> Void)?) {
        let isStopped = core.withLock { core in
            core.action = action
            return core.isStopped
        }
        if isStopped { action?() }
    }
}
