import Flows

/// One who waits for a topic: called by one thread at a time, with heads that only grow.
final class FeedObserver: Sendable {
    private struct Core {
        var isCancelled = false
        var isBusy = false
        var told: Int64 = -1
        var next: Int64?
    }

    private let onPublish: @Sendable (Int64) -> Void
    private let core = Locked(Core())

    init(_ onPublish: @escaping @Sendable (Int64) -> Void) { self.onPublish = onPublish }

    /// Tells a head, now or, when a call is going on, right after it; only the newest one then.
    func tell(_ head: Int64) {
        let begins = core.withLock { core in
            guard !core.isCancelled, head > max(core.told, core.next ?? -1) else { return false }
            core.next = head
            if core.isBusy { return false }
            core.isBusy = true
            return true
        }
        guard begins else { return }
        while let head = next() { onPublish(head) }
    }

    /// Lets no call begin any more.
    func cancel() { core.withLock { $0.isCancelled = true } }

    private func next() -> Int64? {
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
