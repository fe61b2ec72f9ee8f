/// A value that can only be reached while its lock is held.
///
/// What `Synchronization.Mutex` offers, on this package's own ``Lock``. The same rules hold: the body is short, and it
/// neither calls a stranger's code nor resumes a continuation nor cancels a task.
package struct Locked<State>: ~Copyable, @unchecked Sendable {
    private let lock = Lock()
    private let state: UnsafeMutablePointer<State>

    /// Makes a guarded value.
    ///
    /// - Parameter state: the value to begin with.
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
    /// - Parameter body: what to do with it; it runs once, at once, on this thread.
    /// - Returns: what the body returns.
    /// - Throws: what the body throws; the changes it made until then stay.
    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&state.pointee)
    }
}
