import Synchronization

/// Runs what connections do in tasks, beginning whenever an event loop has something to do.
///
/// `run()` must be running; it returns after `finish()`, when all tasks have ended.
final class ConnectionTasks: Sendable {
    private let tasks: AsyncStream<@Sendable () async -> Void>
    private let source: AsyncStream<@Sendable () async -> Void>.Continuation

    private let count = Atomic<Int>(0)

    /// How many have begun so far.
    var begun: Int { count.load(ordering: .relaxed) }

    init() {
        (tasks, source) = AsyncStream.makeStream()
    }

    /// Begins a task.
    func add(_ task: @escaping @Sendable () async -> Void) {
        count.add(1, ordering: .relaxed)
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
