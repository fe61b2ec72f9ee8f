/// Where work lives: what is launched in it can be cancelled and waited for together.
///
/// A supervisor: one job that fails leaves its siblings alone, and the scope open. Jobs run whether or not anybody keeps
/// the scope: it is ended by ``cancel()``, not by letting go of it.
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
        var jobs: [ObjectIdentifier: Job] = [:]
        var onCancel: [@Sendable () -> Void] = []
    }

    private let executor: (any TaskExecutor)?
    private let onFailure: (@Sendable (any Error) -> Void)?
    private let members = Locked(Members())

    /// Makes an open scope.
    ///
    /// - Parameters:
    ///   - executor: where its jobs prefer to run; without one, where Swift runs tasks.
    ///   - onFailure: told of each job that failed, once, before the job's end is visible. A cancelled job did not fail.
    public init(executor: (any TaskExecutor)? = nil, onFailure: (@Sendable (any Error) -> Void)? = nil) {
        self.executor = executor
        self.onFailure = onFailure
    }

    /// Whether it was cancelled, and so lets nothing begin any more.
    public var isCancelled: Bool { members.withLock { $0.isCancelled } }

    /// The jobs that have not ended.
    public var jobs: [Job] { members.withLock { Array($0.jobs.values) } }

    /// Begins a piece of work.
    ///
    /// - Parameter body: the work. What it throws makes the job fail; after a cancel it makes it cancelled, as
    ///   `CancellationError` always does.
    /// - Returns: the job; one that has ended as cancelled when the scope was cancelled before, and then the body never
    ///   runs.
    @discardableResult
    public func launch(_ body: @escaping @Sendable () async throws -> Void) -> Job {
        let job = Job()
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

    /// Cancels every job, and lets no other begin.
    public func cancel() {
        let (jobs, handlers) = members.withLock { members in
            members.isCancelled = true
            defer { members.onCancel = [] }
            return (Array(members.jobs.values), members.onCancel)
        }
        for job in jobs { job.cancel() }
        for handler in handlers { handler() }
    }

    /// Cancels every job; others may begin.
    public func cancelChildren() {
        for job in jobs { job.cancel() }
    }

    /// Waits until no job is left, those included that begin meanwhile.
    ///
    /// Returns early when the waiting task is cancelled; the jobs go on.
    public func join() async {
        while let job = jobs.first, await job.join() != nil { forget(job) }
    }

    /// Calls a handler when the scope is cancelled; at once if it is.
    func onCancel(_ handler: @escaping @Sendable () -> Void) {
        let isCancelled = members.withLock { members in
            if !members.isCancelled { members.onCancel.append(handler) }
            return members.isCancelled
        }
        if isCancelled { handler() }
    }

    private func forget(_ job: Job) {
        members.withLock { _ = $0.jobs.removeValue(forKey: ObjectIdentifier(job)) }
    }

    private func outcome(of body: @Sendable () async throws -> Void, _ job: Job) async -> JobOutcome {
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
