/// Does work for at most so long; nil if the time ran out first, and the work has been cancelled and has ended.
///
/// Throws what the work throws. Cancelling the caller cancels the work.
func withTimeLimit<Value: Sendable>(
    _ limit: Duration, clock: any Clock<Duration>, _ work: @escaping @Sendable () async throws -> Value
) async throws -> Value? {
    try await withThrowingTaskGroup(of: Value?.self) { group in
        defer { group.cancelAll() }
        group.addTask(operation: work)
        group.addTask {
            try await clock.sleep(for: limit)
            return nil
        }
        return try await group.next() ?? nil
    }
}
