import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A dedicated thread for collectors, as a task executor.
///
/// Handing a value from one of its tasks to another costs a fraction of the cost on the default executor, because
/// no other thread needs to wake up. A ``FlowScope`` that is created without an executor uses a ``shared()`` one; create
/// your own for a thread that belongs to some scopes alone.
///
/// ```swift
/// let executor = CollectorExecutor()
/// let scope = FlowScope(executor: executor)
/// scope.launch { await flow.collect { show($0) } }
/// ```
///
/// - Its tasks run one at a time; those that one thread made ready run in that order. A body that blocks delays all
///   others.
/// - The thread lives until ``close()``; a job that becomes ready later runs on the thread that makes it ready.
public final class CollectorExecutor: TaskExecutor {
    /// The shared executors: one per processor, at most eight.
    private static let pool: [CollectorExecutor] = {
        // Never traps: a small constant of the system.
        let processors = sysconf(Int32(_SC_NPROCESSORS_ONLN))
        return (0..<min(max(processors, 1), 8)).map { _ in CollectorExecutor() }
    }()
    private static let turns = Atomic<UInt>(0)

    private let queue = JobQueue()

    /// Returns one of the executors that the process shares, round robin.
    ///
    /// There is one per processor, at most eight; their threads start with the first call and stay.
    ///
    /// - Returns: an executor that may serve other scopes too and cannot be closed.
    public static func shared() -> any TaskExecutor {
        let turn = turns.wrappingAdd(1, ordering: .relaxed).oldValue
        return pool[Int(truncatingIfNeeded: turn % UInt(bitPattern: pool.count))]
    }

    /// Creates the executor and starts its thread.
    public init() {
        Self.startThread { [self] in
            let executor = asUnownedTaskExecutor()
            var batch: [UnownedJob] = []
            queue.begin()
            while queue.take(&batch) {
                for job in batch { job.runSynchronously(on: executor) }
                batch.removeAll(keepingCapacity: true)
            }
        }
    }

    /// Enqueues a job that is ready to run; called by the runtime.
    ///
    /// - Parameter job: the job to run.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if !queue.add(job) { job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    /// Ends the thread after the jobs that are ready.
    public func close() {
        queue.close()
    }

    static func startThread(_ body: @escaping @Sendable () -> Void) {
        // Unsafe memory: the new thread takes over the reference that is retained here.
        let start = Unmanaged.passRetained(ThreadStart(body)).toOpaque()
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        let status = pthread_create(&thread, nil, threadMain, start)
        // Never traps: an executor starts its one thread when it is created, in code.
        precondition(status == 0, "no thread could be started: the system has reached its limit")
        #if canImport(Darwin)
            if let thread { pthread_detach(thread) }
        #else
            pthread_detach(thread)
        #endif
    }
}

private final class ThreadStart: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
    }
}

#if canImport(Darwin)
    private func threadMain(_ start: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
        Unmanaged<ThreadStart>.fromOpaque(start).takeRetainedValue().body()
        return nil
    }
#else
    private func threadMain(_ start: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let start else { return nil }
        Unmanaged<ThreadStart>.fromOpaque(start).takeRetainedValue().body()
        return nil
    }
#endif

/// The ready jobs of one thread, which sleeps while there are none.
///
/// Jobs that the thread itself makes ready go to a separate list that needs no lock.
final class JobQueue: @unchecked Sendable {
    // Unsafe memory: allocated with the queue and freed with it, as a mutex must not move.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let isReady = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    @exclusivity(unchecked) private var jobs: [UnownedJob] = []
    @exclusivity(unchecked) private var isClosed = false
    @exclusivity(unchecked) private var isAsleep = false
    /// Whether other threads have added jobs; checked without the lock before the thread continues with its own.
    private let hasJobs = Atomic(false)
    /// The consuming thread; 0 once it has ended.
    private let thread = Atomic<UInt>(0)
    /// The jobs added by the consuming thread; no other thread accesses them.
    @exclusivity(unchecked) private var own: [UnownedJob] = []

    init() {
        mutex.initialize(to: pthread_mutex_t())
        isReady.initialize(to: pthread_cond_t())
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(isReady, nil)
    }

    deinit {
        pthread_cond_destroy(isReady)
        pthread_mutex_destroy(mutex)
        isReady.deallocate()
        mutex.deallocate()
    }

    /// Adds a job; returns false if the queue is closed.
    func add(_ job: UnownedJob) -> Bool {
        if thread.load(ordering: .relaxed) == JobQueue.currentThread {
            own.append(job)
            return true
        }
        pthread_mutex_lock(mutex)
        let isOpen = !isClosed
        if isOpen {
            jobs.append(job)
            hasJobs.store(true, ordering: .relaxed)
        }
        let wakes = isAsleep
        isAsleep = false
        pthread_mutex_unlock(mutex)
        if wakes { pthread_cond_signal(isReady) }
        return isOpen
    }

    /// Makes the current thread the consumer.
    func begin() {
        thread.store(JobQueue.currentThread, ordering: .relaxed)
    }

    /// Waits for jobs and moves all of them into an empty batch; returns false once the queue is closed and empty.
    func take(_ batch: inout [UnownedJob]) -> Bool {
        swap(&batch, &own)
        if !batch.isEmpty, !hasJobs.load(ordering: .relaxed) { return true }
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while jobs.isEmpty, batch.isEmpty {
            if isClosed {
                thread.store(0, ordering: .relaxed)  // another thread may reuse the identifier
                return false
            }
            isAsleep = true
            pthread_cond_wait(isReady, mutex)
        }
        isAsleep = false
        batch += jobs
        jobs.removeAll(keepingCapacity: true)
        hasJobs.store(false, ordering: .relaxed)
        return true
    }

    private static var currentThread: UInt {
        #if canImport(Glibc)
            UInt(truncatingIfNeeded: pthread_self())
        #else
            UInt(bitPattern: pthread_self())
        #endif
    }

    func close() {
        pthread_mutex_lock(mutex)
        isClosed = true
        isAsleep = false
        pthread_mutex_unlock(mutex)
        pthread_cond_signal(isReady)
    }
}
