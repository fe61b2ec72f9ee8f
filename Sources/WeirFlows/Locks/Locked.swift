/// A value that can only be accessed while its lock is held.
///
/// Equivalent to `Synchronization.Mutex`, with this package's own ``Lock``. The same rules apply: the body is short,
/// and it does not call foreign code, resume a continuation or cancel a task.
package struct Locked<State>: ~Copyable, @unchecked Sendable {
    private let lock = Lock()
    // Unsafe memory: allocated and freed with the lock; accessed only while the lock is held.
    private let state: UnsafeMutablePointer<State>

    /// Creates a guarded value.
    ///
    /// - Parameter state: the initial value.
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
    /// - Parameter body: runs once, immediately, on this thread.
    /// - Returns: what the body returns.
    /// - Throws: what the body throws; the changes it made until then remain.
    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&state.pointee)
    }
}
