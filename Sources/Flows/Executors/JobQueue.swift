#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The jobs that are ready for one thread, which sleeps while there are none.
final class JobQueue: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let isReady = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var jobs: [UnownedJob] = []
    private var isClosed = false
    private var isAsleep = false

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

    /// Adds a job; false when the queue is closed.
    func add(_ job: UnownedJob) -> Bool {
        pthread_mutex_lock(mutex)
        let isOpen = !isClosed
        if isOpen { jobs.append(job) }
        let wakes = isAsleep
        isAsleep = false
        pthread_mutex_unlock(mutex)
        if wakes { pthread_cond_signal(isReady) }
        return isOpen
    }

    /// Waits for jobs and takes all there are; false once the queue is closed and empty.
    func take(_ batch: inout [UnownedJob]) -> Bool {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while jobs.isEmpty {
            if isClosed { return false }
            isAsleep = true
            pthread_cond_wait(isReady, mutex)
        }
        swap(&batch, &jobs)
        return true
    }

    /// Lets no more jobs in.
    func close() {
        pthread_mutex_lock(mutex)
        isClosed = true
        isAsleep = false
        pthread_mutex_unlock(mutex)
        pthread_cond_signal(isReady)
    }
}
