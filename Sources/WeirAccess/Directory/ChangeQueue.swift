import Synchronization

/// Makes changes one after another, in the order in which they were asked for.
///
/// What a change reads is as it was until the change is stored and in force. A change that has begun goes on when its caller is
/// cancelled: a browser that goes away leaves nothing half done.
final class ChangeQueue: Sendable {
    private let last = Mutex<Task<Void, Never>?>(nil)

    /// Makes a change once all earlier ones are made.
    ///
    /// A change must not ask for another one, which would wait for ever. Returns what the change returns.
    func run<Result: Sendable>(_ change: @escaping @Sendable () async throws -> Result) async throws -> Result {
        let task = last.withLock { last in
            let before = last
            let task = Task {
                await before?.value
                return try await change()
            }
            last = Task { _ = await task.result }
            return task
        }
        return try await task.value
    }
}
