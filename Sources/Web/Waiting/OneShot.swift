import NIOConcurrencyHelpers

/// A value that one task waits for and that is sent once, from anywhere.
final class OneShot<Value: Sendable>: Sendable {
    private enum State {
        case idle
        case waiting(CheckedContinuation<Value, Never>)
        case sent(Value)
    }

    private let state = NIOLockedValueBox(State.idle)

    /// Sends the value.
    ///
    /// Only the first call counts.
    func send(_ value: Value) {
        let continuation = state.withLockedValue { state -> CheckedContinuation<Value, Never>? in
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
    func value() async -> Value {
        await withCheckedContinuation { continuation in
            let value = state.withLockedValue { state -> Value? in
                if case .sent(let value) = state { return value }
                state = .waiting(continuation)
                return nil
            }
            if let value { continuation.resume(returning: value) }
        }
    }
}
