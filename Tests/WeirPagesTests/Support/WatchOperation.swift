import WeirFlows
import WeirOperations
import WeirStates

/// An operation that runs while it is watched, with two cases and a list of numbers.
struct WatchOperation: StateOperation {
    func perform(_ input: NoInput, state: MutableStateFlow<WatchState>) async throws {}
}

enum WatchState: OperationState {
    case starting
    case measured(level: Int, history: [Int], at: String)
    case lost(message: String)
    case stopped

    static var initial: Self { .starting }
    static func failed(_ error: any Error) -> Self { .lost(message: "\(error)") }
    static func cancelled(from last: Self) -> Self { .stopped }

    var phase: Phase {
        switch self {
        case .starting: .idle
        case .measured: .active
        case .lost: .failed
        case .stopped: .cancelled
        }
    }

    static var samples: [Self] {
        [
            .starting, .measured(level: 12, history: [1, 2, 3], at: "2026-11-21T12:00:00.000Z"),
            .lost(message: "There is no gauge."), .stopped,
        ]
    }
}
