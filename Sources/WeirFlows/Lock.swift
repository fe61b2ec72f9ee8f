public import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A small mutual-exclusion lock; waiting threads sleep.
///
/// A pthread mutex on Linux and an unfair lock on Apple systems. On Linux it costs about a quarter of
/// `Synchronization.Mutex`, which is a priority-inheritance futex there. Use ``Locked`` to tie it to the value it
/// guards.
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

    /// Creates an unlocked lock.
    ///
    /// - Parameter detectsNesting: whether locking it twice on one thread stops the program with a message instead of
    ///   deadlocking. Apple systems and debug builds always do; these also stop when a thread releases a lock that it
    ///   does not hold.
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

    /// Acquires the lock.
    ///
    /// - Parameter nesting: the message if this thread already holds the lock and the lock detects it.
    @usableFromInline
    package borrowing func lock(nesting: StaticString = "this lock is already held by this thread") {
        #if canImport(Darwin)
            os_unfair_lock_lock(primitive)
        #else
            let status = pthread_mutex_lock(primitive)
            // Never traps: this fails only if code acquires a lock it already holds, regardless of any values.
            precondition(status == 0, "\(nesting)")
        #endif
    }

    @usableFromInline
    package borrowing func unlock() {
        #if canImport(Darwin)
            os_unfair_lock_unlock(primitive)
        #else
            let status = pthread_mutex_unlock(primitive)
            // Never traps: this fails only if code releases a lock it has not acquired, regardless of any values.
            assert(status == 0, "this lock is not held by this thread")
        #endif
    }
}

/// A one-byte lock for a handful of instructions; waiting threads spin for a while.
///
/// Acquiring and releasing it takes one atomic exchange and one store, about half the cost of a pthread mutex, and
/// two contending threads achieve four times the throughput. A waiting thread yields its core before it sleeps. Use
/// ``Lock`` for anything longer; the rules of ``Lock`` apply here too. On Apple systems this is the unfair lock, to
/// which the kernel donates the waiting thread's priority.
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

        @inlinable @inline(__always)
        borrowing func lock() {
            if !isTaken.compareExchange(expected: false, desired: true, ordering: .acquiring).exchanged { wait() }
        }

        @inlinable @inline(__always)
        borrowing func unlock() {
            // Never traps: this fails only if code releases a lock it has not acquired, regardless of any values.
            assert(isTaken.load(ordering: .relaxed), "this lock is held by nobody")
            isTaken.store(false, ordering: .releasing)
        }

        /// Spins, and yields to other threads, including the one that holds the lock.
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

/// A value that can be accessed only while its lock is held.
///
/// Equivalent to `Synchronization.Mutex`, with ``Lock`` and its rules: the body is short and does not call foreign
/// code, resume a continuation or cancel a task.
package struct Locked<State>: ~Copyable, @unchecked Sendable {
    private let lock = Lock()
    // Unsafe memory: allocated and freed with the lock; accessed only while the lock is held.
    private let state: UnsafeMutablePointer<State>

    package init(_ state: sending State) {
        self.state = .allocate(capacity: 1)
        self.state.initialize(to: state)
    }

    deinit {
        state.deinitialize(count: 1)
        state.deallocate()
    }

    /// Runs a body with exclusive access to the value.
    ///
    /// - Throws: rethrows the body's error; its changes up to that point remain.
    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&state.pointee)
    }
}

/// A value that one task waits for and that is sent once, from anywhere.
package final class OneShot<Value: Sendable>: Sendable {
    private enum State {
        case idle
        case waiting(CheckedContinuation<Value, Never>)
        case sent(Value)
    }

    private let state = Locked(State.idle)

    package init() {}

    package func send(_ value: Value) {
        let continuation = state.withLock { state -> CheckedContinuation<Value, Never>? in
            switch state {
            case .idle:
                state = .sent(value)
                return nil
            case .waiting(let continuation):
                state = .sent(value)
                return continuation
            case .sent:
                return nil
            }
        }
        continuation?.resume(returning: value)
    }

    /// Waits for the value, ignoring cancellation; must be called once.
    package func value() async -> Value {
        await withCheckedContinuation { continuation in
            let value = state.withLock { state -> Value? in
                if case .sent(let value) = state { return value }
                state = .waiting(continuation)
                return nil
            }
            if let value { continuation.resume(returning: value) }
        }
    }
}
