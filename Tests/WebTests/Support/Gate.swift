import NIOConcurrencyHelpers

/// Lets a work go on, once for each word that was given, in order.
final class Gate: Sendable {
    private struct State {
        var words: [Bool] = []
        var waiting: CheckedContinuation<Bool, any Error>?
    }

    private let state = NIOLockedValueBox(State())

    /// Lets the work take one more step.
    func step() { say(true) }

    /// Lets the work end.
    func finish() { say(false) }

    private func say(_ word: Bool) {
        let waiting = state.withLockedValue { state -> CheckedContinuation<Bool, any Error>? in
            guard let waiting = state.waiting else {
                state.words.append(word)
                return nil
            }
            state.waiting = nil
            return waiting
        }
        waiting?.resume(returning: word)
    }

    /// Waits for a word: true for one more step.
    ///
    /// Throws when the work is cancelled.
    func pass() async throws -> Bool {
        try await withTaskCancellationHandler {
            try Task.checkCancellation()
            return try await withCheckedThrowingContinuation { continuation in
                let word = state.withLockedValue { state -> Bool? in
                    if state.words.isEmpty {
                        state.waiting = continuation
                        return nil
                    }
                    return state.words.removeFirst()
                }
                if let word { continuation.resume(returning: word) }
                if Task.isCancelled { cancel() }
            }
        } onCancel: {
            cancel()
        }
    }

    private func cancel() {
        let waiting = state.withLockedValue { state in
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume(throwing: CancellationError())
    }
}
