/// Runs what connections do in tasks, beginning whenever an event loop has something to do.
///
/// `run()` must be running; it returns after `finish()`, when all tasks have ended.
final class ConnectionTasks: Sendable {
    private let tasks: AsyncStream<@Sendable () async -> Void>
    private let source: AsyncStream<@Sendable () async -> Void>.Continuation

    init() {
        (tasks, source) = AsyncStream.makeStream()
    }

    /// Begins a task.
    func add(_ task: @escaping @Sendable () async -> Void) {
        if case .enqueued = source.yield(task) { return }
        // The server is over, and its connections are being closed: what each has begun must still end properly.
        Task { await task() }
    }

    /// Runs the tasks that are added.
    func run() async {
        await withDiscardingTaskGroup { group in
            for await task in tasks { group.addTask(operation: task) }
        }
    }

    /// No more tasks are added.
    func finish() { source.finish() }
}
