/// A value that one task waits for and that is sent once, from anywhere.
package final class OneShot<Value: Sendable>: Sendable {
    private enum State {
        case idle
        case waiting(CheckedContinuation<Value, Never>)
        case sent(Value)
    }

    private let state = Locked(State.idle)

    /// Makes one that holds nothing yet.
    package init() {}

    /// Sends the value.
    ///
    /// Only the first call counts.
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

    /// Waits for the value.
    ///
    /// Called once; cancelling the caller changes nothing.
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
