import States

/// What the watch machine knows of one operation that runs while watched.
struct WatchedOperation: Sendable {
    /// Where the operation's run is.
    enum Stage: Sendable, Equatable {
        /// There is none.
        case idle
        /// One has been asked for.
        case starting
        /// It goes on.
        case running(String)
        /// It was asked to end, because nobody watched or because it has become long; whoever watches then gets a new one.
        case ending(String)
        /// It ended by itself, and is started again after a while.
        case waiting
    }

    let stopAfter: Duration
    var viewers = 0
    var stage = Stage.idle
    /// Whether a run may end because the last viewer has been gone for long enough.
    var isAbandoned = true
    /// A run that ended before it was known to have started.
    var early: (run: String, phase: Phase)?
    /// How often in a row it ended by itself.
    var failures = 0
    /// Names the newest timer; what an older one says is not heard.
    var timer = 0
}
