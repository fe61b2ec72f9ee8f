import WeirOperations
package import WeirStates

/// The states of an HTTP request, each set when it begins to be true.
package enum HTTPRequestState: OperationState {
    /// Nothing has been asked.
    case none
    /// The host's name is being looked up. Left out where the URL gives the address in numbers.
    case resolving(host: String, attempt: Attempt)
    /// The name has been resolved to this address, and a connection to it is being made, TLS included.
    case connecting(host: String, address: String, port: Int, attempt: Attempt)
    /// The connection is open; the request is being sent, and no answer has begun.
    case waiting(method: String, url: String, attempt: Attempt)
    /// The head of the answer has arrived, and `bytes` of its body.
    case receiving(status: Int, bytes: Int64, total: Int64?, attempt: Attempt)
    /// It did not work; the attempt given is the next one.
    case retrying(message: String, milliseconds: Int64, attempt: Attempt)
    /// The answer is as it should be. `text` is its beginning, at most 2 kB, to be shown and nothing else.
    case success(
        status: Int, reason: String, url: String, milliseconds: Int64, headers: [HeaderField], text: String,
        textIsWhole: Bool, size: Int64, bodyIsWhole: Bool, attempt: Attempt)
    /// No attempt worked. Status and text are there when a server answered, but not as expected.
    case error(message: String, attempt: Attempt?, milliseconds: Int64?, status: Int?, text: String?)
    /// It was asked to stop, in the case named.
    case cancelled(during: String)

    /// Nothing has been asked.
    package static var initial: Self { .none }

    /// The error in a sentence, with what ``HTTPRequestError`` knows.
    package static func failed(_ error: any Error) -> Self {
        let known = error as? HTTPRequestError
        return .error(
            message: error.explanation, attempt: known?.attempt, milliseconds: known?.milliseconds,
            status: known?.status, text: known?.text)
    }

    /// Cancelled in the step it was in.
    package static func cancelled(from last: Self) -> Self { .cancelled(during: last.caseName) }

    /// The phase of the state.
    package var phase: Phase {
        switch self {
        case .none: .idle
        case .resolving, .connecting, .waiting, .receiving, .retrying: .active
        case .success: .succeeded
        case .error: .failed
        case .cancelled: .cancelled
        }
    }

    /// The bytes received, while receiving.
    package var progress: WorkProgress? {
        guard case .receiving(_, let bytes, let total, _) = self else { return nil }
        return WorkProgress(bytes, of: total, unit: .bytes)
    }

    private var caseName: String {
        switch self {
        case .none: "none"
        case .resolving: HTTPStep.resolving.rawValue
        case .connecting: HTTPStep.connecting.rawValue
        case .waiting: HTTPStep.waiting.rawValue
        case .receiving: HTTPStep.receiving.rawValue
        case .retrying: "retrying"
        case .success: "success"
        case .error: "error"
        case .cancelled(let step): step
        }
    }
}

extension HTTPRequestState: DetouringState {
    /// What it passes through only when something does not work at first.
    package static var detours: Set<String> { ["retrying"] }
}
