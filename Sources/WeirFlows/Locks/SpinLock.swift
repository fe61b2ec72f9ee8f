public import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A lock for a handful of instructions, in one byte; a thread that waits for it spins for a while.
///
/// Acquiring and releasing it takes one atomic exchange and one store, about half the cost of a pthread mutex, and two
/// contending threads get four times as much done. That is why flows use it. A waiting thread pays the price: it yields
/// its core to other threads before it sleeps. Use ``Lock`` for anything longer; its documentation lists what must not
/// be done while holding either. On Apple systems this is the unfair lock, which the kernel lends the priority of the
/// waiting thread.
@usableFromInline
struct SpinLock: ~Copyable, Sendable {
    #if canImport(Darwin)
        @usableFromInline let lock_ = Lock()

        @inlinable
        init() {}

        @inlinable
        borrowing func lock() {
            lock_.lock()
        }

        @inlinable
        borrowing func unlock() {
            lock_.unlock()
        }
    #else
        @usableFromInline let isTaken = Atomic(false)

        @inlinable
        init() {}

        /// Waits for the lock and acquires it.
        @inlinable @inline(__always)
        borrowing func lock() {
            if !isTaken.compareExchange(expected: false, desired: true, ordering: .acquiring).exchanged { wait() }
        }

        /// Releases the lock.
        @inlinable @inline(__always)
        borrowing func unlock() {
            // Never traps: this fails only if code releases a lock it has not acquired, whatever the values are.
            assert(isTaken.load(ordering: .relaxed), "this lock is held by nobody")
            isTaken.store(false, ordering: .releasing)
        }

        /// Tries again and again, and yields in between to other threads, one of which may hold the lock.
        ///
        /// It eventually sleeps: with real-time priorities, the thread that holds the lock may not run otherwise.
        @usableFromInline @inline(never)
        borrowing func wait() {
            var rounds = 0
            while true {
                for _ in 0..<64 where !isTaken.load(ordering: .relaxed) {
                    if !isTaken.exchange(true, ordering: .acquiring) { return }
                }
                rounds += 1
                if rounds < 64 { sched_yield() } else { usleep(50) }
            }
        }
    #endif
}
