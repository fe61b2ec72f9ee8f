/// When a shared flow starts to collect its upstream, and when it stops.
public struct SharingStarted: Sendable, Hashable {
    enum Rule: Hashable {
        case eagerly
        case lazily
        case whileSubscribed(stopTimeout: Duration, replayExpiration: Duration?)
    }

    let rule: Rule

    /// At once, and until the scope is cancelled.
    public static let eagerly = SharingStarted(rule: .eagerly)

    /// With the first subscriber, even one that leaves at once; then until the scope is cancelled.
    public static let lazily = SharingStarted(rule: .lazily)

    /// From the first subscriber until some time after the last one has left.
    ///
    /// - Parameters:
    ///   - stopTimeout: how long to continue without subscribers; it restarts each time the last one leaves. A
    ///     subscriber that arrives within it finds the same collection still running.
    ///   - replayExpiration: how long the value is kept after stopping before it returns to the initial one; nil keeps
    ///     it forever.
    /// - Returns: the rule.
    public static func whileSubscribed(
        stopTimeout: Duration = .zero, replayExpiration: Duration? = nil
    ) -> SharingStarted {
        SharingStarted(rule: .whileSubscribed(stopTimeout: stopTimeout, replayExpiration: replayExpiration))
    }
}
