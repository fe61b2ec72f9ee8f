/// When a shared flow begins to collect what it shares, and when it stops.
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

    /// With the first subscriber, until some time after the last one has left.
    ///
    /// - Parameters:
    ///   - stopTimeout: how long to go on without subscribers; counted anew each time the last one leaves. Who comes
    ///     within it finds the same collection still running.
    ///   - replayExpiration: how long after stopping the value is kept before it becomes the initial one again; nil keeps
    ///     it for ever.
    /// - Returns: the rule.
    public static func whileSubscribed(
        stopTimeout: Duration = .zero, replayExpiration: Duration? = nil
    ) -> SharingStarted {
        SharingStarted(rule: .whileSubscribed(stopTimeout: stopTimeout, replayExpiration: replayExpiration))
    }
}
