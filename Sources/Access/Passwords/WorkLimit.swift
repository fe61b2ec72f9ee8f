import Dispatch
import Synchronization

/// Runs work that takes much memory and time on threads of its own: so many at once, so many waiting, and no more.
package final class WorkLimit: Sendable {
    /// Everything is taken; try again later.
    package struct Busy: Error {}

    private struct State {
        var running = 0
        var waiting: [@Sendable () -> Void] = []
    }

    private let workers: Int
    private let room: Int
    private let queue = DispatchQueue(label: "weir.passwords", attributes: .concurrent)
    private let state = Mutex(State())

    /// - Parameters:
    ///   - workers: How much runs at once.
    ///   - room: How much may wait.
    package init(workers: Int = 2, room: Int = 32) {
        self.workers = max(1, workers)
        self.room = max(0, room)
    }

    /// Runs work and returns its result.
    ///
    /// Throws `Busy` at once when too much waits already, else what the work throws.
    package func run<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            let job: @Sendable () -> Void = { continuation.resume(with: .init(catching: work)) }
            let verdict = state.withLock { state -> Bool? in
                if state.running < workers {
                    state.running += 1
                    return true
                }
                guard state.waiting.count < room else { return nil }
                state.waiting.append(job)
                return false
            }
            switch verdict {
            case true: queue.async { [self] in go(on: job) }
            case false: break
            default: continuation.resume(throwing: Busy())
            }
        }
    }

    private func go(on first: @escaping @Sendable () -> Void) {
        var job: (@Sendable () -> Void)? = first
        while let work = job {
            work()
            job = state.withLock { state in
                guard !state.waiting.isEmpty else {
                    state.running -= 1
                    return nil
                }
                return state.waiting.removeFirst()
            }
        }
    }
}
