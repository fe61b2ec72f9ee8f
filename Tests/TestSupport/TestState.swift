import WeirOperations
package import WeirStates

/// The states of the tests' operations.
package enum TestState: OperationState {
    case none
    case working(step: Int)
    case resting(step: Int)
    case success(text: String)
    case error(message: String)
    case cancelled(at: String)

    /// Nothing yet.
    package static var initial: TestState { .none }
    /// The error as Swift writes it.
    package static func failed(_ error: any Error) -> TestState { .error(message: "\(error)") }
    /// Cancelled, and where.
    package static func cancelled(from last: TestState) -> TestState {
        switch last {
        case .working(let step): .cancelled(at: "working \(step)")
        case .resting(let step): .cancelled(at: "resting \(step)")
        default: .cancelled(at: "none")
        }
    }

    /// The phase of the state.
    package var phase: Phase {
        switch self {
        case .none: .idle
        case .working, .resting: .active
        case .success: .succeeded
        case .error: .failed
        case .cancelled: .cancelled
        }
    }

    /// One state of every case.
    package static var samples: [TestState] {
        [
            .none, .working(step: 1), .resting(step: 1), .success(text: "a"), .error(message: "b"),
            .cancelled(at: "none"),
        ]
    }
}
