public import Journals

/// Somebody looking at a topic: as long as it is held, what runs only while watched goes on.
public final class Watch: Sendable {
    /// What is looked at.
    public let topic: Topic
    private let end: @Sendable () -> Void

    init(topic: Topic, end: @escaping @Sendable () -> Void) {
        self.topic = topic
        self.end = end
    }

    /// Looks away.
    ///
    /// May be repeated; dropping the watch does the same.
    public func release() { end() }

    deinit { end() }
}
