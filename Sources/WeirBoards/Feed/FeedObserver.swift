import WeirFlows
import WeirJournals

/// An observer that waits for a topic: called by one thread at a time, with increasing heads.
final class FeedObserver: Sendable {
    private struct Core {
        var isCancelled = false
        var isBusy = false
        var told: SequenceNumber?
        var next: SequenceNumber?
    }

    private let onPublish: @Sendable (SequenceNumber) -> Void
    private let core = Locked(Core())

    init(_ onPublish: @escaping @Sendable (SequenceNumber) -> Void) { self.onPublish = onPublish }

    /// Tells a head, now or, when a call is in progress, right after it; only the newest one then.
    ///
    /// That a topic has ended is news although its head stands where it stood.
    func tell(_ head: SequenceNumber, isEnd: Bool = false) {
        let begins = core.withLock { core in
            let isNews = isEnd || (core.next ?? core.told).map { head > $0 } ?? true
            guard !core.isCancelled, isNews else { return false }
            core.next = max(head, core.next ?? head)
            if core.isBusy { return false }
            core.isBusy = true
            return true
        }
        guard begins else { return }
        while let head = next() { onPublish(head) }
    }

    /// Lets no call begin any more.
    func cancel() { core.withLock { $0.isCancelled = true } }

    private func next() -> SequenceNumber? {
        core.withLock { core in
            guard !core.isCancelled, let head = core.next else {
                core.isBusy = false
                return nil
            }
            core.told = head
            core.next = nil
            return head
        }
    }
}

/// Somebody's interest in a topic of a feed: cancel it, or drop it, and the calls end.
package final class FeedObservation: Sendable {
    private let end: @Sendable () -> Void

    init(end: @escaping @Sendable () -> Void) { self.end = end }

    /// Ends the calls: none begins after this returned; one that is in progress elsewhere is not waited for.
    ///
    /// May be repeated.
    package func cancel() { end() }

    deinit { end() }
}
