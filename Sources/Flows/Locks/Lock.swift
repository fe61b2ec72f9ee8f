#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A small mutual-exclusion lock; who waits for it sleeps.
///
/// A pthread mutex on Linux and an unfair lock on Apple systems: about a quarter of what `Synchronization.Mutex` costs
/// on Linux, where that is a priority-inheritance futex. Use ``Locked`` to tie it to what it guards.
///
/// Hold it for a few instructions only: never call a stranger's code, resume a continuation or cancel a task under it.
@usableFromInline
package struct Lock: ~Copyable, @unchecked Sendable {
    #if canImport(Darwin)
        private let primitive: UnsafeMutablePointer<os_unfair_lock>
    #else
        private let primitive: UnsafeMutablePointer<pthread_mutex_t>
    #endif

    /// Makes an open lock.
    ///
    /// - Parameter detectsNesting: whether locking it twice on one thread stops the program with a message instead of
    ///   waiting for ever. On Apple systems it always does.
    @usableFromInline
    package init(detectsNesting: Bool = false) {
        primitive = .allocate(capacity: 1)
        #if canImport(Darwin)
            primitive.initialize(to: os_unfair_lock())
        #else
            primitive.initialize(to: pthread_mutex_t())
            var attributes = pthread_mutexattr_t()
            pthread_mutexattr_init(&attributes)
            if detectsNesting {
                pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_ERRORCHECK))
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

    /// Waits for the lock and takes it.
    ///
    /// - Parameter nesting: what the message says when this thread holds it already and the lock detects that.
    @usableFromInline
    package borrowing func lock(nesting: StaticString = "this lock is already held by this thread") {
        #if canImport(Darwin)
            os_unfair_lock_lock(primitive)
        #else
            let status = pthread_mutex_lock(primitive)
            precondition(status == 0, "\(nesting)")
        #endif
    }

    /// Gives the lock back.
    @usableFromInline
    package borrowing func unlock() {
        #if canImport(Darwin)
            os_unfair_lock_unlock(primitive)
        #else
            pthread_mutex_unlock(primitive)
        #endif
    }
}
