import WeirFlows
import WeirOperations
import WeirStates

/// A state that swings between two cases, so that each value is a transition and none is left out.
enum SwingState: OperationState {
    case waiting
    case left(number: Int, bytes: Int, note: String)
    case right(number: Int, bytes: Int, note: String)
    case done
    case stopped
    case failed(message: String)

    static var initial: Self { .waiting }
    static func failed(_ error: any Error) -> Self { .failed(message: "\(error)") }
    static func cancelled(from last: Self) -> Self { .stopped }
    static var samples: [Self] { [.waiting, swing(0), swing(1), .done, .stopped, .failed(message: "why")] }

    static func swing(_ number: Int) -> Self {
        let note = "Connection to example.com"
        return number % 2 == 0
            ? .left(number: number, bytes: number * 65_536, note: note)
            : .right(number: number, bytes: number * 65_536, note: note)
    }

    var phase: Phase {
        switch self {
        case .waiting: .idle
        case .left, .right: .active
        case .done: .succeeded
        case .stopped: .cancelled
        case .failed: .failed
        }
    }

    var progress: WorkProgress? { nil }
}

/// Swings as the benchmark says.
struct Swinging: StateOperation {
    struct Input: OperationInput {
        static var fields: [InputField] { [] }
    }

    /// Called with a way to set the next state.
    let work: @Sendable (@Sendable (SwingState) -> Void) async throws -> Void

    func perform(_ input: Input, state: MutableStateFlow<SwingState>) async throws {
        try await work { state.value = $0 }
        state.value = .done
    }
}
