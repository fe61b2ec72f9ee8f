/// Owns jobs, which can be cancelled and awaited together.
///
/// It is a supervisor: a failing job affects neither its siblings nor the scope. Releasing the scope does not end its
/// jobs; ``cancel()`` does.
///
/// By default its jobs take turns on one thread, where collectors, bindings and derived flows hand values to each
/// other at a fraction of the usual cost. A job that computes for long or blocks delays the others: launch it in a
/// scope with `executor: nil`.
///
/// ```swift
/// let scope = FlowScope()
/// scope.launch { await flow.collect { print($0) } }
/// scope.cancel()
/// await scope.join()
/// ```
public final class FlowScope: Sendable {
    private struct Members {
        var isCancelled = false
        var jobs: [ObjectIdentifier: FlowJob] = [:]
        var onCancel: [@Sendable () -> Void] = []
    }

    private let executor: (any TaskExecutor)?
    private let onFailure: (@Sendable (any Error) -> Void)?
    private let members = Locked(Members())

    /// Creates an open scope.
    ///
    /// - Parameters:
    ///   - executor: the executor its jobs prefer; by default, one of the threads that the process shares for
    ///     collectors. With nil, jobs run concurrently on Swift's default executor.
    ///   - onFailure: called once for each job that failed, before the job's end is visible; not called for cancelled
    ///     jobs.
    public init(
        executor: (any TaskExecutor)? = CollectorExecutor.shared(),
        onFailure: (@Sendable (any Error) -> Void)? = nil
    ) {
        self.executor = executor
        self.onFailure = onFailure
    }

    /// Whether the scope was cancelled, so that no job can start.
    public var isCancelled: Bool { members.withLock { $0.isCancelled } }

    /// The jobs that have not ended.
    public var jobs: [FlowJob] { members.withLock { Array($0.jobs.values) } }

    /// Starts a job.
    ///
    /// - Parameter body: the work. If it throws, the job fails; after a cancellation, or with `CancellationError`,
    ///   the job is cancelled.
    /// - Returns: the job. If the scope was already cancelled, the job has ended as cancelled and the body never
    ///   runs.
    @discardableResult
    public func launch(_ body: @escaping @Sendable () async throws -> Void) -> FlowJob {
        let job = FlowJob()
        let isOpen = members.withLock { members in
            if !members.isCancelled { members.jobs[ObjectIdentifier(job)] = job }
            return !members.isCancelled
        }
        guard isOpen else {
            job.cancel()
            job.end(.cancelled)
            return job
        }
        job.start(on: executor) { [self] in
            job.end(job.isCancelled ? .cancelled : await outcome(of: body, job))
            forget(job)
        }
        return job
    }

    /// Cancels every job and prevents new ones.
    public func cancel() {
        let (jobs, handlers) = members.withLock { members in
            members.isCancelled = true
            defer { members.onCancel = [] }
            return (Array(members.jobs.values), members.onCancel)
        }
        for job in jobs { job.cancel() }
        for handler in handlers { handler() }
    }

    /// Cancels every job; new ones can start.
    public func cancelChildren() {
        for job in jobs { job.cancel() }
    }

    /// Waits until no jobs are left, including jobs that start in the meantime.
    ///
    /// Returns early if the waiting task is cancelled; the jobs continue.
    public func join() async {
        while let job = jobs.first, await job.join() != nil { forget(job) }
    }

    /// Calls a handler when the scope is cancelled, or immediately if it already is.
    func onCancel(_ handler: @escaping @Sendable () -> Void) {
        let isCancelled = members.withLock { members in
            if !members.isCancelled { members.onCancel.append(handler) }
            return members.isCancelled
        }
        if isCancelled { handler() }
    }

    private func forget(_ job: FlowJob) {
        members.withLock { _ = $0.jobs.removeValue(forKey: ObjectIdentifier(job)) }
    }

    private func outcome(of body: @Sendable () async throws -> Void, _ job: FlowJob) async -> JobOutcome {
        do {
            try await body()
            return job.isCancelled ? .cancelled : .finished
        } catch {
            if job.isCancelled || error is CancellationError { return .cancelled }
            onFailure?(error)
            return .failed(error)
        }
    }
}
