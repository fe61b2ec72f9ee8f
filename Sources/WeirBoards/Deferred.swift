import WeirFlows

/// A value that comes once, and that many can wait for.
final class Deferred<Value: Sendable>: Sendable {
    private let flow = MutableStateFlow<Value?>(nil, areEquivalent: { _, _ in false })

    /// The value, if it has come.
    var resolved: Value? { flow.value }

    /// Gives the value; the first time counts.
    func resolve(_ value: Value) {
        flow.seal(with: value)
    }

    /// Waits for the value; nil when the waiting task is cancelled first.
    func value() async -> Value? {
        await flow.first { $0 != nil } ?? nil
    }

    /// Waits for the value; nil when it has not come in that time, or the waiting task is cancelled first.
    func value(within limit: Duration, clock: any Clock<Duration>) async -> Value? {
        if let resolved { return resolved }
        return await withTaskGroup(of: Value?.self) { group in
            group.addTask { await self.value() }
            group.addTask {
                do {
                    try await clock.sleep(for: limit)
                } catch {
                    return nil  // The value came first.
                }
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }
}
