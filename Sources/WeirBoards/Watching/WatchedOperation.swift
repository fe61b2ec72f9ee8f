import WeirOperations
import WeirStates

/// What the watch machine knows of one operation that runs while watched.
struct WatchedOperation: Sendable {
    /// Where the operation's run is.
    enum Stage: Sendable, Equatable {
        /// There is none.
        case idle
        /// One has been asked for.
        case starting
        /// It continues.
        case running(String)
        /// It was asked to end, because nobody watched or because it has become long; whoever watches then gets a new one.
        case ending(String)
        /// It ended by itself, and is started again after a while.
        case waiting
    }

    var stopAfter: Duration
    var viewers = 0
    var stage = Stage.idle
    /// Whether the catalog does not have it any more.
    var isGone = false
    /// Whether it was replaced in the catalog while its run was starting, which then may be one of the old operation.
    var isOutdated = false
    /// Whether a run may end because the last viewer has been gone for long enough.
    var isAbandoned = true
    /// Runs that ended before they were known to have started.
    var early: [String: Phase] = [:]
    /// Runs that were asked to end and have not yet.
    var leaving: Set<String> = []
    /// The runs that ended last: whoever joined one at that moment reports it late.
    private(set) var over: [String] = []
    /// How often in a row it ended by itself.
    var failures = 0
    /// Names the newest timer; what an older one says is not heard.
    var timer = 0

    /// The current run.
    var current: String? {
        switch stage {
        case .running(let run), .ending(let run): run
        case .idle, .starting, .waiting: nil
        }
    }

    /// Whether a run is, or was, dealt with already, so that news of its start changes nothing.
    func knows(_ run: String) -> Bool { run == current || leaving.contains(run) || over.contains(run) }

    /// Remembers for a while that a run is over.
    mutating func remember(_ run: String) {
        over.append(run)
        if over.count > 64 { over.removeFirst() }
    }

    /// The end of a run that is reported to have started only now; nil for one that continues.
    mutating func takeEarly(_ run: String) -> Phase? {
        guard let phase = early.removeValue(forKey: run) else { return nil }
        remember(run)
        return phase
    }

    /// Asks a run to end.
    mutating func end(_ run: String, _ cause: CancellationCause) -> WatchMachine.Action {
        leaving.insert(run)
        return .cancel(run: run, cause)
    }
}
