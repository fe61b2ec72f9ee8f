import Synchronization

/// Performs changes one after another, in the order of the calls.
///
/// Changes are isolated from each other. A change that has started continues if its caller is cancelled.
final class ChangeQueue: Sendable {
    private let last = Mutex<Task<Void, Never>?>(nil)

    /// Performs a change after all earlier ones and returns its result.
    ///
    /// A change must not call `run` itself, which would deadlock.
    func run<Result: Sendable>(_ change: @escaping @Sendable () async throws -> Result) async throws -> Result {
        let task = last.withLock { last in
            let before = last
            let task = Task {
                await before?.value
                return try await change()
            }
            last = Task { _ = await task.result }
            return task
        }
        return try await task.value
    }
}

/// Coalesces calls: one runs at a time, and calls made before it starts share it.
final class SharedCall: Sendable {
    private struct State {
        var running: Task<Void, Never>?
        var waiting: Task<Void, Never>?
    }

    private final class Wait: Sendable {
        private let continuation: Mutex<CheckedContinuation<Void, Never>?>

        init(_ continuation: CheckedContinuation<Void, Never>) { self.continuation = Mutex(continuation) }

        func end() {
            let waiting = continuation.withLock { continuation in
                defer { continuation = nil }
                return continuation
            }
            waiting?.resume()
        }
    }

    private let state = Mutex(State())

    /// Returns when a call that started after this one was requested has finished, or after `patience`; the call then
    /// continues.
    func run(atMost patience: Duration, _ body: @escaping @Sendable () async -> Void) async {
        let task = state.withLock { state in
            if let waiting = state.waiting { return waiting }
            let before = state.running
            let task = Task {
                await before?.value
                self.state.withLock { ($0.running, $0.waiting) = ($0.waiting, nil) }
                await body()
            }
            state.waiting = task
            return task
        }
        await withCheckedContinuation { continuation in
            let wait = Wait(continuation)
            let timer = Task {
                do { try await Task.sleep(for: patience) } catch { return }
                wait.end()
            }
            Task {
                await task.value
                timer.cancel()
                wait.end()
            }
        }
    }
}
