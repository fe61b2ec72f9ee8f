import Synchronization

/// Counts the bytes of a transfer, so that one that stalls ends.
final class ProgressCount: Sendable {
    /// Too little was transferred in the time allowed.
    struct Stalled: Error {}

    private let count = Atomic(0)

    /// Adds bytes.
    func add(_ bytes: Int) { count.wrappingAdd(bytes, ordering: .relaxed) }

    /// Does work, and throws ``Stalled`` after an interval in which less than `least` bytes were counted.
    ///
    /// Throws what the work throws. Cancelling the caller cancels the work.
    func watched<Value: Sendable>(
        atLeast least: Int, in interval: Duration, clock: any Clock<Duration>,
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Value.self) { group in
            defer { group.cancelAll() }
            group.addTask(operation: work)
            group.addTask { [self] in
                while true {
                    let before = count.load(ordering: .relaxed)
                    try await clock.sleep(for: interval)
                    guard count.load(ordering: .relaxed) &- before >= least else { throw Stalled() }
                }
            }
            guard let value = try await group.next() else { throw CancellationError() }
            return value
        }
    }
}
