import WeirOperations
import WeirStates

struct WatchedOperation: Sendable {
    enum Stage: Sendable, Equatable {
        case idle
        case starting
        case running(String)
        /// The run with that id was asked to end, because it had no viewers or became long; viewers then get a new one.
        case ending(String)
        /// The run ended without being asked, and a restart is scheduled.
        case waiting
    }

    var stopAfter: Duration
    var viewers = 0
    var stage = Stage.idle
    var isGone = false
    /// Whether the catalog replaced the operation during a start, so that the run may be of the old operation.
    var isOutdated = false
    /// Whether the grace period after the last viewer has passed, so that a run may end.
    var isAbandoned = true
    /// Runs whose end was reported before their start.
    var early: [String: Phase] = [:]
    var leaving: Set<String> = []
    /// The newest ended runs, since a start that joined one of them is reported late.
    private(set) var over: [String] = []
    /// The number of consecutive ends without being asked.
    var failures = 0
    /// The number of the newest timer; older timers are ignored.
    var timer = 0

    var current: String? {
        switch stage {
        case .running(let run), .ending(let run): run
        case .idle, .starting, .waiting: nil
        }
    }

    /// Whether a run has already been processed, so that a report of its start changes nothing.
    func knows(_ run: String) -> Bool { run == current || leaving.contains(run) || over.contains(run) }

    mutating func remember(_ run: String) {
        over.append(run)
        if over.count > 64 { over.removeFirst() }
    }

    /// The end of a run whose start is reported only now; nil if it has not ended.
    mutating func takeEarly(_ run: String) -> Phase? {
        guard let phase = early.removeValue(forKey: run) else { return nil }
        remember(run)
        return phase
    }

    mutating func end(_ run: String, _ cause: CancellationCause) -> WatchMachine.Action {
        leaving.insert(run)
        return .cancel(run: run, cause)
    }
}
