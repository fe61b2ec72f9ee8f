/// A piece of work in a scope.
///
/// It runs until its body returns or throws, or it is cancelled, whether or not anybody keeps the job. Cancelling is a
/// request: the body ends at its next suspension that checks for it. A job that is cancelled before it begins never
/// runs.
public final class FlowJob: Sendable, Identifiable {
    private let state = MutableStateFlow<JobOutcome?>(nil, areEquivalent: { _, _ in false })
    private let task = Locked(Progress())

    private struct Progress {
        var task: Task<Void, Never>?
        var isCancelled = false
    }

    init() {}

    /// How it ended; nil while it runs.
    ///
    /// The flow is sealed with the outcome.
    public var outcome: ReadOnlyStateFlow<JobOutcome?> { state.asStateFlow() }

    /// Whether it was cancelled.
    public var isCancelled: Bool { task.withLock { $0.isCancelled } }

    /// Whether it has ended.
    public var isCompleted: Bool { state.isFinished }

    /// Requests that it end.
    ///
    /// A second call, or one after the end, does nothing.
    public func cancel() {
        let task = task.withLock { progress in
            if !state.isFinished { progress.isCancelled = true }
            return progress.task
        }
        task?.cancel()
    }

    /// Waits for its end.
    ///
    /// Cancelling the waiting task does not cancel the job.
    ///
    /// - Returns: how it ended, or nil if the waiting task was cancelled first.
    @discardableResult
    public func join() async -> JobOutcome? {
        await state.first { $0 != nil } ?? nil
    }

    /// Waits for its end, even if the waiting task is cancelled.
    func ended() async {
        let task = task.withLock { $0.task }
        await task?.value
    }

    /// Starts it; called once, by the scope.
    func start(on executor: (any TaskExecutor)?, _ body: @escaping @Sendable () async -> Void) {
        let task = Task(executorPreference: executor, operation: body)
        let isCancelled = self.task.withLock { progress in
            if !state.isFinished { progress.task = task }
            return progress.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    /// Ends it; the first call counts.
    func end(_ outcome: JobOutcome) {
        state.seal(with: outcome)
        self.task.withLock { $0.task = nil }
    }
}
