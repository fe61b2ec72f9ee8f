/// A unit of work in a scope.
///
/// It runs until its body returns or throws, or it is cancelled, even if the job is not retained. Cancellation is a
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

    /// The outcome, or nil while the job runs; the flow is sealed with it.
    public var outcome: ReadOnlyStateFlow<JobOutcome?> { state.asStateFlow() }

    /// Whether the job was cancelled.
    public var isCancelled: Bool { task.withLock { $0.isCancelled } }

    /// Whether the job has ended.
    public var isCompleted: Bool { state.isFinished }

    /// Cancels the job; has no effect after the first call or after the end.
    public func cancel() {
        let task = task.withLock { progress in
            if !state.isFinished { progress.isCancelled = true }
            return progress.task
        }
        task?.cancel()
    }

    /// Waits for the end of the job.
    ///
    /// Cancelling the waiting task does not cancel the job.
    ///
    /// - Returns: the outcome, or nil if the waiting task was cancelled first.
    @discardableResult
    public func join() async -> JobOutcome? {
        await state.first { $0 != nil } ?? nil
    }

    /// Waits for the end, even if the waiting task is cancelled.
    func ended() async {
        let task = task.withLock { $0.task }
        await task?.value
    }

    /// Starts the job; called once, by the scope.
    func start(on executor: (any TaskExecutor)?, _ body: @escaping @Sendable () async -> Void) {
        let task = Task(executorPreference: executor, operation: body)
        let isCancelled = self.task.withLock { progress in
            if !state.isFinished { progress.task = task }
            return progress.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    /// Ends the job; only the first call takes effect.
    func end(_ outcome: JobOutcome) {
        state.seal(with: outcome)
        self.task.withLock { $0.task = nil }
    }
}

/// How a job ended.
public enum JobOutcome: Sendable {
    /// Its body returned.
    case finished
    /// It was cancelled, before it began or while it ran.
    ///
    /// Never shown as an error.
    case cancelled
    /// Its body threw, without having been cancelled.
    case failed(any Error)

    /// Whether its body returned.
    public var isFinished: Bool { if case .finished = self { true } else { false } }

    /// Whether it was cancelled.
    public var isCancelled: Bool { if case .cancelled = self { true } else { false } }

    /// What its body threw, if it failed.
    public var error: (any Error)? { if case .failed(let error) = self { error } else { nil } }
}
