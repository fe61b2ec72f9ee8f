import WeirFlows

/// A lock that suspends its waiters, and serves them in the order in which they came.
final class AsyncLock: Sendable {
    private struct Core {
        var isTaken = false
        var waiting: [Deferred<Bool>] = []
    }

    private let core = Locked(Core())

    /// Runs the body while no other caller holds the lock.
    ///
    /// Throws `CancellationError` when the caller is cancelled before it has the lock, and whatever the body throws.
    func withLock<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
        let waiter = core.withLock { core -> Deferred<Bool>? in
            guard core.isTaken else {
                core.isTaken = true
                return nil
            }
            let waiter = Deferred<Bool>()
            core.waiting.append(waiter)
            return waiter
        }
        if let waiter, await waiter.value() == nil {
            giveUp(waiter)
            throw CancellationError()
        }
        defer { leave() }
        return try await body()
    }

    private func leave() {
        let next = core.withLock { core -> Deferred<Bool>? in
            guard !core.waiting.isEmpty else {
                core.isTaken = false
                return nil
            }
            return core.waiting.removeFirst()
        }
        next?.resolve(true)
    }

    /// Leaves the queue; a waiter that was given the lock in the meantime passes it on.
    private func giveUp(_ waiter: Deferred<Bool>) {
        let wasWaiting = core.withLock { core in
            let index = core.waiting.firstIndex { $0 === waiter }
            if let index { core.waiting.remove(at: index) }
            return index != nil
        }
        if !wasWaiting { leave() }
    }
}
