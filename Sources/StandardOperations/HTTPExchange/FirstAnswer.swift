import Flows

/// One waiter and several who may answer it: the first does, the others are not heard.
final class FirstAnswer<Value: Sendable>: Sendable {
    private enum State {
        case open
        case waiting(CheckedContinuation<Value, any Error>)
        case answered(Result<Value, any Error>)
        case done
    }

    private let state = Locked<State>(.open)

    /// Registers the waiter; it is resumed at once when the answer came before.
    func wait(_ continuation: CheckedContinuation<Value, any Error>) {
        let answer: Result<Value, any Error>? = state.withLock { state in
            guard case .answered(let result) = state else {
                state = .waiting(continuation)
                return nil
            }
            state = .done
            return result
        }
        if let answer { continuation.resume(with: answer) }
    }

    /// Answers the waiter, unless somebody has.
    func give(_ result: Result<Value, any Error>) {
        let waiter: CheckedContinuation<Value, any Error>? = state.withLock { state in
            switch state {
            case .open:
                state = .answered(result)
                return nil
            case .waiting(let continuation):
                state = .done
                return continuation
            case .answered, .done:
                return nil
            }
        }
        waiter?.resume(with: result)
    }
}
