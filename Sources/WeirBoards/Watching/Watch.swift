import WeirFlows
package import WeirJournals

/// Somebody looking at a topic: as long as it is held, what runs only while watched continues.
package final class Watch: Sendable {
    /// What is looked at.
    package let topic: Topic
    private let end: Locked<(@Sendable () -> Void)?>

    init(topic: Topic, end: @escaping @Sendable () -> Void) {
        self.topic = topic
        self.end = Locked(end)
    }

    /// Looks away.
    ///
    /// May be repeated; dropping the watch does the same.
    package func release() {
        let end = end.withLock { end in
            defer { end = nil }
            return end
        }
        end?()
    }

    deinit { release() }
}
