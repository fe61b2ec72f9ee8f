/// Somebody's interest in a topic of a feed: cancel it, or drop it, and the calls end.
public final class FeedObservation: Sendable {
    private let end: @Sendable () -> Void

    init(end: @escaping @Sendable () -> Void) { self.end = end }

    /// Ends the calls: none begins after this returned; one that is going on elsewhere is not waited for.
    ///
    /// May be repeated.
    public func cancel() { end() }

    deinit { end() }
}
