import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The jobs that are ready for one thread, which sleeps while there are none.
///
/// Jobs that this thread itself makes ready, as when one of its tasks hands a value to another, go to a separate list
/// that needs no lock.
final class JobQueue: @unchecked Sendable {
    // Unsafe memory: allocated with the queue and freed with it, as a mutex must not move.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let isReady = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    @exclusivity(unchecked) private var jobs: [UnownedJob] = []
    @exclusivity(unchecked) private var isClosed = false
    @exclusivity(unchecked) private var isAsleep = false
    /// Whether other threads have added jobs.
    ///
    /// The thread checks this without the lock before it continues with its own jobs.
    private let hasJobs = Atomic(false)
    /// The thread that takes the jobs, while it does so.
    private let thread = Atomic<UInt>(0)
    /// The jobs that this thread has added; no other thread accesses them.
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

    /// Records that the current thread takes the jobs.
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
                thread.store(0, ordering: .relaxed)  // another thread may be given its number
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

    /// Closes the queue: no more jobs can be added.
    func close() {
        pthread_mutex_lock(mutex)
        isClosed = true
        isAsleep = false
        pthread_mutex_unlock(mutex)
        pthread_cond_signal(isReady)
    }
}
