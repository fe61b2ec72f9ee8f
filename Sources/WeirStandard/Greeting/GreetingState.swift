import WeirOperations
package import WeirStates

/// The states of a greeting: those of the `FooOperation` in *StateFlow on KMP and SwiftUI*, and cancelled.
package enum GreetingState: OperationState {
    /// Nothing has been requested.
    case none
    /// The service has been called.
    case loading
    /// The service has answered.
    case success(greeting: String)
    /// The call failed, and the message says why.
    case error(message: String)
    /// It was cancelled.
    case cancelled

    /// Nothing has been asked.
    package static var initial: Self { .none }
    /// The error in a sentence.
    package static func failed(_ error: any Error) -> Self { .error(message: error.explanation) }
    /// Cancelled, whatever it was doing.
    package static func cancelled(from last: Self) -> Self { .cancelled }

    /// The phase of the state.
    package var phase: Phase {
        switch self {
        case .none: .idle
        case .loading: .active
        case .success: .succeeded
        case .error: .failed
        case .cancelled: .cancelled
        }
    }

    /// One state of every case.
    package static var samples: [Self] {
        [
            .none, .loading, .success(greeting: "Hello, World!"),
            failed(HTTPFailure.refused(address: "127.0.0.1", port: 9)), .cancelled,
        ]
    }
}
