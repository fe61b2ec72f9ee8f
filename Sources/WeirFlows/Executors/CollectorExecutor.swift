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
/// Handing a value from one of its tasks to another costs a fraction of what it costs on the default executor, because
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
    /// The process's own: one for each processor, at most eight.
    private static let pool: [CollectorExecutor] = {
        // Never traps: a small constant of the system.
        let processors = sysconf(Int32(_SC_NPROCESSORS_ONLN))
        return (0..<min(max(processors, 1), 8)).map { _ in CollectorExecutor() }
    }()
    private static let turns = Atomic<UInt>(0)

    private let queue = JobQueue()

    /// Returns one of the executors that the whole process shares, each in turn.
    ///
    /// There are as many as processors, at most eight; their threads start with the first call and stay.
    ///
    /// - Returns: an executor, which may serve other scopes too, so nobody can close it.
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

    /// Takes a job that is ready to run; called by the runtime.
    ///
    /// - Parameter job: the job to run.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if !queue.add(job) { job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    /// Ends the thread once it has run what is ready.
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
