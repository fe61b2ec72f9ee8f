import Synchronization

/// Runs one call at a time, and one for all who ask before it begins.
final class SharedCall: Sendable {
    private struct State {
        var running: Task<Void, Never>?
        var waiting: Task<Void, Never>?
    }

    /// Somebody who waits, and goes on once.
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

    /// Returns after a call that began after this one was asked for, or after so long; the call goes on then.
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
