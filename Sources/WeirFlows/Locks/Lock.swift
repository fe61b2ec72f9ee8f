#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A small mutual-exclusion lock; threads that wait for it sleep.
///
/// A pthread mutex on Linux and an unfair lock on Apple systems: about a quarter of the cost of `Synchronization.Mutex`
/// on Linux, which is a priority-inheritance futex there. Use ``Locked`` to tie it to the value it guards.
///
/// Hold it for a few instructions only. Never call foreign code, resume a continuation or cancel a task while holding
/// it.
@usableFromInline
package struct Lock: ~Copyable, @unchecked Sendable {
    #if canImport(Darwin)
        // Unsafe memory: allocated and freed with the lock, because a mutex must not move.
        private let primitive: UnsafeMutablePointer<os_unfair_lock>
    #else
        private let primitive: UnsafeMutablePointer<pthread_mutex_t>
    #endif

    /// Creates an open lock.
    ///
    /// - Parameter detectsNesting: whether locking it twice on one thread stops the program with a message instead of
    ///   waiting forever. On Apple systems it always does, and in debug builds; these also stop when a thread releases a
    ///   lock that it does not hold.
    @usableFromInline
    package init(detectsNesting: Bool = false) {
        primitive = .allocate(capacity: 1)
        #if canImport(Darwin)
            primitive.initialize(to: os_unfair_lock())
        #else
            primitive.initialize(to: pthread_mutex_t())
            var attributes = pthread_mutexattr_t()
            pthread_mutexattr_init(&attributes)
            #if DEBUG
                let checks = true
            #else
                let checks = detectsNesting
            #endif
            if checks {
                pthread_mutexattr_settype(&attributes, Int32(truncatingIfNeeded: PTHREAD_MUTEX_ERRORCHECK))
            }
            pthread_mutex_init(primitive, &attributes)
            pthread_mutexattr_destroy(&attributes)
        #endif
    }

    deinit {
        #if !canImport(Darwin)
            pthread_mutex_destroy(primitive)
        #endif
        primitive.deinitialize(count: 1)
        primitive.deallocate()
    }

    /// Waits for the lock and acquires it.
    ///
    /// - Parameter nesting: the message for the case that this thread already holds the lock and the lock detects that.
    @usableFromInline
    package borrowing func lock(nesting: StaticString = "this lock is already held by this thread") {
        #if canImport(Darwin)
            os_unfair_lock_lock(primitive)
        #else
            let status = pthread_mutex_lock(primitive)
            // Never traps: this fails only if code acquires a lock it already holds, whatever the values are.
            precondition(status == 0, "\(nesting)")
        #endif
    }

    /// Releases the lock.
    @usableFromInline
    package borrowing func unlock() {
        #if canImport(Darwin)
            os_unfair_lock_unlock(primitive)
        #else
            let status = pthread_mutex_unlock(primitive)
            // Never traps: this fails only if code releases a lock it has not acquired, whatever the values are.
            assert(status == 0, "this lock is not held by this thread")
        #endif
    }
}
