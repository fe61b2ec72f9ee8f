import Dispatch
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Threads for synchronous work whose length a file, a request or a peer decides.
///
/// Swift's default executor has one thread per processor, and every request needs one of them. Work that can take longer than
/// a few milliseconds runs here instead, with a ``WorkBudget``. The threads have a lower priority than those that answer
/// requests. They start when they are needed and stay.
package final class WorkPool: Sendable {
    /// Too much work waits already; try again later.
    package struct Busy: Error {}

    private struct Job: Sendable {
        let run: @Sendable () -> Void
        let cancel: @Sendable () -> Void
    }

    private struct State {
        var waiting: [UInt64: Job] = [:]
        var first: UInt64 = 0
        var next: UInt64 = 0
        var started = 0
        var running = 0

        mutating func takeID() -> UInt64 {
            defer { next &+= 1 }
            return next
        }

        /// The job that has waited longest, or nil if none waits.
        mutating func takeFirst() -> Job? {
            while first < next {
                defer { first &+= 1 }
                if let job = waiting.removeValue(forKey: first) { return job }
            }
            return nil
        }
    }

    private let threads: Int
    /// The maximum number of jobs that run or wait.
    private let limit: Int
    private let niceness: Int32
    private let state = Mutex(State())
    private let hasWork = DispatchSemaphore(value: 0)

    /// Creates a pool without starting a thread.
    ///
    /// - Parameters:
    ///   - threads: The maximum number of jobs that run at once.
    ///   - room: The maximum number of jobs that wait.
    ///   - niceness: The priority of the threads on Linux, from 0 (that of all others) to 19 (the lowest).
    package init(threads: Int = 2, room: Int = 10_000, niceness: Int32 = 5) {
        self.threads = min(max(1, threads), 64)
        limit = self.threads + min(max(0, room), 1_000_000)
        self.niceness = niceness
    }

    /// Runs synchronous work on a thread of the pool and returns its result.
    ///
    /// Suspends until the work has ended. If the task is cancelled while the work waits for a thread, the work never begins.
    ///
    /// - Throws: ``Busy`` at once if the maximum number of jobs waits; `CancellationError`; what the work throws.
    package func run<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
        let id = state.withLock { $0.takeID() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Result, any Error>) in
                let job = Job(
                    run: { continuation.resume(with: Swift.Result(catching: work)) },
                    cancel: { continuation.resume(throwing: CancellationError()) })
                guard add(job, id, isLimited: true) else { return continuation.resume(throwing: Busy()) }
                // A cancellation from before the job was added found nothing to remove.
                if Task.isCancelled { cancel(id) }
            }
        } onCancel: {
            cancel(id)
        }
    }

    /// Adds work without waiting for its result.
    func submit(_ work: @escaping @Sendable () -> Void) {
        let id = state.withLock { $0.takeID() }
        _ = add(Job(run: work, cancel: {}), id, isLimited: false)
    }

    private func add(_ job: Job, _ id: UInt64, isLimited: Bool) -> Bool {
        let isAdded = state.withLock { state in
            guard !isLimited || state.running + state.waiting.count < limit else { return false }
            state.waiting[id] = job
            // Numbers are given out before jobs are added, so that an earlier one can arrive later.
            state.first = min(state.first, id)
            return true
        }
        guard isAdded else { return false }
        startIfNeeded()
        hasWork.signal()
        return true
    }

    private func startIfNeeded() {
        let starts = state.withLock { state in
            guard state.started < threads, state.waiting.count > state.started - state.running else { return false }
            state.started += 1
            return true
        }
        if starts { start() }
    }

    private func cancel(_ id: UInt64) {
        state.withLock { $0.waiting.removeValue(forKey: id) }?.cancel()
    }

    private func start() {
        CollectorExecutor.startThread { [self] in
            lowerPriority()
            while true {
                hasWork.wait()
                let job = state.withLock { state in
                    let job = state.takeFirst()
                    if job != nil { state.running += 1 }
                    return job
                }
                guard let job else { continue }
                job.run()
                state.withLock { $0.running -= 1 }
            }
        }
    }

    private func lowerPriority() {
        guard niceness > 0 else { return }
        #if canImport(Darwin)
            pthread_set_qos_class_self_np(QOS_CLASS_UTILITY, 0)
        #elseif canImport(Glibc)
            // Linux has a priority for each thread; 0 is the calling one.
            setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness)
        #else
            setpriority(PRIO_PROCESS, 0, niceness)
        #endif
    }
}
