public import Operations
public import States

/// The states of a greeting: those of the `FooOperation` in *StateFlow on KMP and SwiftUI*, and having been cancelled.
public enum GreetingState: OperationState {
    /// Nothing has been asked.
    case none
    /// The service has been asked.
    case loading
    /// The service greets.
    case success(greeting: String)
    /// It does not, and the message says why.
    case error(message: String)
    /// It was asked to stop.
    case cancelled

    /// Nothing has been asked.
    public static var initial: Self { .none }
    /// The error in a sentence.
    public static func failed(_ error: any Error) -> Self { .error(message: sentence(for: error)) }
    /// Cancelled, whatever it was doing.
    public static func cancelled(from last: Self) -> Self { .cancelled }

    /// Where it stands.
    public var phase: Phase {
        switch self {
        case .none: .idle
        case .loading: .active
        case .success: .succeeded
        case .error: .failed
        case .cancelled: .cancelled
        }
    }

    /// One state of every case.
    public static var samples: [Self] {
        [
            .none, .loading, .success(greeting: "Hello, World!"),
            failed(HTTPFailure.refused(address: "127.0.0.1", port: 9)), .cancelled,
        ]
    }
}
