/// A piece of work in a scope.
///
/// It runs until its body returns, throws or it is cancelled, whether or not anybody keeps the job. Cancelling is asking:
/// the body ends at its next suspension that looks for it. A job cancelled before it began never begins.
public final class Job: Sendable, Identifiable {
    private let state = MutableStateFlow<JobOutcome?>(nil, areEquivalent: { _, _ in false })
    private let task = Locked(Progress())

    private struct Progress {
        var task: Task<Void, Never>?
        var isCancelled = false
    }

    init() {}

    /// How it ended; nil as long as it runs.
    ///
    /// Sealed with its outcome.
    public var outcome: ReadOnlyStateFlow<JobOutcome?> { state.asStateFlow() }

    /// Whether it was asked to end before its time.
    public var isCancelled: Bool { task.withLock { $0.isCancelled } }

    /// Whether it has ended.
    public var isCompleted: Bool { state.isFinished }

    /// Asks it to end.
    ///
    /// A second time, or after the end, nothing happens.
    public func cancel() {
        let task = task.withLock { progress in
            if !state.isFinished { progress.isCancelled = true }
            return progress.task
        }
        task?.cancel()
    }

    /// Waits for its end.
    ///
    /// Cancelling who waits does not cancel the job.
    ///
    /// - Returns: how it ended, or nil when the waiting task was cancelled first.
    @discardableResult
    public func join() async -> JobOutcome? {
        await state.first { $0 != nil } ?? nil
    }

    /// Waits for its end, even when the waiting task is cancelled.
    func ended() async {
        let task = task.withLock { $0.task }
        await task?.value
    }

    /// Begins; called once, by the scope.
    func start(on executor: (any TaskExecutor)?, _ body: @escaping @Sendable () async -> Void) {
        let task = Task(executorPreference: executor, operation: body)
        let isCancelled = self.task.withLock { progress in
            if !state.isFinished { progress.task = task }
            return progress.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    /// Ends; the first time counts.
    func end(_ outcome: JobOutcome) {
        state.seal(with: outcome)
        self.task.withLock { $0.task = nil }
    }
}
