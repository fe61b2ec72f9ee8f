import WeirFlows

/// A value that is set once and that any number of tasks can await.
final class Deferred<Value: Sendable>: Sendable {
    private let flow = MutableStateFlow<Value?>(nil, areEquivalent: { _, _ in false })

    var resolved: Value? { flow.value }

    /// Sets the value; later calls have no effect.
    func resolve(_ value: Value) {
        flow.seal(with: value)
    }

    /// Waits for the value; returns nil if the task is cancelled first.
    func value() async -> Value? {
        await flow.first { $0 != nil } ?? nil
    }

    /// Waits for the value; returns nil on timeout or if the task is cancelled first.
    func value(within limit: Duration, clock: any Clock<Duration>) async -> Value? {
        if let resolved { return resolved }
        return await withTaskGroup(of: Value?.self) { group in
            group.addTask { await self.value() }
            group.addTask {
                do {
                    try await clock.sleep(for: limit)
                } catch {
                    return nil  // Cancelled, because the value is set.
                }
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }
}

/// A fair asynchronous lock: waiting tasks suspend, and acquire it in FIFO order.
final class AsyncLock: Sendable {
    private struct Core {
        var isTaken = false
        var waiting: [Deferred<Bool>] = []
    }

    private let core = Locked(Core())

    /// Runs the body while holding the lock.
    ///
    /// Throws `CancellationError` if the task is cancelled before it acquires the lock, and rethrows the errors of the
    /// body.
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

    /// Leaves the queue, or releases the lock if the waiter has acquired it in the meantime.
    private func giveUp(_ waiter: Deferred<Bool>) {
        let wasWaiting = core.withLock { core in
            let index = core.waiting.firstIndex { $0 === waiter }
            if let index { core.waiting.remove(at: index) }
            return index != nil
        }
        if !wasWaiting { leave() }
    }
}

extension Clock where Duration == Swift.Duration {
    /// Starts a measurement; the closure returns the elapsed time.
    package func stopwatch() -> @Sendable () -> Duration {
        let beginning = now
        return { beginning.duration(to: now) }
    }
}
