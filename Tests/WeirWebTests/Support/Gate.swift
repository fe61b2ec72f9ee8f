import NIOConcurrencyHelpers

/// Lets works go on, one for each word that was given, in order.
final class Gate: Sendable {
    private struct State {
        var words: [Bool] = []
        var waiting: [(id: Int, continuation: CheckedContinuation<Bool, any Error>)] = []
        var cancelled: Set<Int> = []
        var lastID = 0
    }

    private let state = NIOLockedValueBox(State())

    /// Lets a work take one more step.
    func step() { say(true) }

    /// Lets a work end.
    func finish() { say(false) }

    private func say(_ word: Bool) {
        let waiting = state.withLockedValue { state -> CheckedContinuation<Bool, any Error>? in
            guard !state.waiting.isEmpty else {
                state.words.append(word)
                return nil
            }
            return state.waiting.removeFirst().continuation
        }
        waiting?.resume(returning: word)
    }

    /// Waits for a word: true for one more step.
    ///
    /// Throws when the work is cancelled.
    func pass() async throws -> Bool {
        let id = state.withLockedValue { state in
            state.lastID += 1
            return state.lastID
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result = state.withLockedValue { state -> Result<Bool, any Error>? in
                    if state.cancelled.remove(id) != nil { return .failure(CancellationError()) }
                    if !state.words.isEmpty { return .success(state.words.removeFirst()) }
                    state.waiting.append((id, continuation))
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            let waiting = state.withLockedValue { state -> CheckedContinuation<Bool, any Error>? in
                guard let index = state.waiting.firstIndex(where: { $0.id == id }) else {
                    state.cancelled.insert(id)
                    return nil
                }
                return state.waiting.remove(at: index).continuation
            }
            waiting?.resume(throwing: CancellationError())
        }
    }
}
