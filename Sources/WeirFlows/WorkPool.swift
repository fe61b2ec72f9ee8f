import Dispatch
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Threads for synchronous work whose duration depends on a file, a request or a peer.
///
/// Swift's default executor has one thread per processor, and every request needs one of them. Work that can take
/// longer than a few milliseconds runs here instead, with a ``WorkBudget``. Threads start on demand, stay, and have a
/// lower priority than those that serve requests.
package final class WorkPool: Sendable {
    /// The maximum number of jobs is waiting; the caller may retry later.
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

        mutating func takeFirst() -> Job? {
            while first < next {
                defer { first &+= 1 }
                if let job = waiting.removeValue(forKey: first) { return job }
            }
            return nil
        }
    }

    private let threads: Int
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
                // A cancellation before `add` found nothing to remove.
                if Task.isCancelled { cancel(id) }
            }
        } onCancel: {
            cancel(id)
        }
    }

    func submit(_ work: @escaping @Sendable () -> Void) {
        let id = state.withLock { $0.takeID() }
        _ = add(Job(run: work, cancel: {}), id, isLimited: false)
    }

    private func add(_ job: Job, _ id: UInt64, isLimited: Bool) -> Bool {
        let isAdded = state.withLock { state in
            guard !isLimited || state.running + state.waiting.count < limit else { return false }
            state.waiting[id] = job
            // IDs are assigned before jobs are added, so an earlier ID can arrive later.
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
            // On Linux the priority is per thread; 0 selects the calling thread.
            setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness)
        #else
            setpriority(PRIO_PROCESS, 0, niceness)
        #endif
    }
}

extension WorkPool {
    // One pool per kind of work, so that no kind waits for another. `Documentation/limits.md` lists the work of each
    // pool.

    /// Output lines of programs whose operations define patterns.
    package static let patterns = WorkPool()
    /// Output lines of programs without patterns.
    package static let lines = WorkPool()
    /// Input patterns, matched against user input.
    package static let inputs = WorkPool()
    /// Rendering and comparison of pages that can be long: gallery, comparisons, searches, Markdown.
    package static let pages = WorkPool()
    /// Rendering of live pages, once for all viewers with the same content.
    ///
    /// Runs at normal priority: otherwise viewers of a busy server would fall behind its changes.
    package static let documents = WorkPool(niceness: 0)
    /// Parsing of large request bodies.
    package static let bodies = WorkPool()
    /// Searches in a journal file, which has more connections than this pool has threads.
    package static let searches = WorkPool(threads: 3, room: 100)
    /// Imports, exports and verification of files.
    package static let bulk = WorkPool(niceness: 10)
    /// Backups and their verification: one at a time.
    package static let backups = WorkPool(threads: 1, niceness: 10)
    /// Name resolution: a resolver that does not answer blocks a thread until the system's timeout.
    package static let names = WorkPool(threads: 16, room: 1_000)
    /// Reading of operation files and checking of templates.
    package static let files = WorkPool(niceness: 10)
    /// Parsing of responses from other servers: JSON of requests, feeds and choices.
    package static let answers = WorkPool()
}

extension WorkPool {
    /// A serial executor for actors whose methods can take long: runs their jobs one at a time on a pool's threads.
    ///
    /// The actors of a pool take turns: an actor runs the jobs that are ready when its turn begins, then waits for
    /// the next turn.
    package final class ActorExecutor: SerialExecutor {
        private struct State {
            var jobs: [UnownedJob] = []
            var isScheduled = false
        }

        private let pool: WorkPool
        private let state = Mutex(State())

        package init(_ pool: WorkPool) { self.pool = pool }

        package func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            let schedules = state.withLock { state in
                state.jobs.append(job)
                defer { state.isScheduled = true }
                return !state.isScheduled
            }
            if schedules { pool.submit { self.runReady() } }
        }

        private func runReady() {
            let jobs = state.withLock { state in
                defer { state.jobs.removeAll() }
                return state.jobs
            }
            for job in jobs { job.runSynchronously(on: asUnownedSerialExecutor()) }
            let continues = state.withLock { state in
                state.isScheduled = !state.jobs.isEmpty
                return state.isScheduled
            }
            if continues { pool.submit { self.runReady() } }
        }
    }
}

/// A limit in wall-clock time for a piece of synchronous work.
///
/// The work checks the budget at intervals of at most a few milliseconds, and ends when it is exceeded.
package struct WorkBudget: Sendable {
    package struct Exceeded: Error {}

    private let end: ContinuousClock.Instant

    package init(_ duration: Duration) { end = .now + duration }

    package var isExceeded: Bool { ContinuousClock.now >= end }

    package func check() throws(Exceeded) {
        if isExceeded { throw Exceeded() }
    }
}
