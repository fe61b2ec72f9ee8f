public import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A lock for a handful of instructions, in one byte: whoever waits for it stays awake for a while.
///
/// Taking and giving it back is one atomic exchange and one store, about half of what a pthread mutex costs, and two
/// threads that fight for it get four times as much done; that is why flows have it. The price is paid by who waits, who
/// offers its core to others before it sleeps. So use ``Lock`` for anything longer, and see there what may not be done
/// under either. On Apple systems it is the unfair lock, which the kernel lends the waiting thread's priority.
@usableFromInline
struct BriefLock: ~Copyable, Sendable {
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

        /// Waits for the lock and takes it.
        @inlinable @inline(__always)
        borrowing func lock() {
            if !isTaken.compareExchange(expected: false, desired: true, ordering: .acquiring).exchanged { wait() }
        }

        /// Gives the lock back.
        @inlinable @inline(__always)
        borrowing func unlock() {
            isTaken.store(false, ordering: .releasing)
        }

        /// Looks again and again, and lets other threads run in between, one of which may be who has the lock.
        ///
        /// It sleeps at last: where threads have real-time priorities, who has the lock may not run otherwise.
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
