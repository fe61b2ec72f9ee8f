import WeirStates

/// Why an HTTP exchange failed.
package enum HTTPFailure: ExplainedError, Sendable, Equatable {
    /// The URL cannot be used; the reason is a sentence.
    case invalidURL(reason: String)
    /// Requests are not allowed there; the reason is a sentence that names the setting.
    case notAllowed(reason: String)
    /// The name does not exist.
    case nameNotFound(host: String)
    /// The name could not be looked up.
    case nameServerSilent(host: String, reason: String)
    /// Nothing listens there.
    case refused(address: String, port: Int)
    /// There is no route to the address.
    case unreachable(address: String, port: Int, reason: String)
    /// It took longer than allowed.
    case timedOut(during: HTTPStep, after: Duration)
    /// A connection was made, but not a secure one.
    case notSecure(host: String, reason: String)
    /// The other side closed the connection.
    case reset(during: HTTPStep)
    /// The answer is not HTTP.
    case malformed(reason: String)
    /// There were too many redirects.
    case tooManyRedirects(limit: Int)
    /// The server answered, but not with the expected status.
    case unexpectedStatus(Int, reason: String, expected: Int?)
    /// The answer is longer than the limit.
    case tooLong(limit: Int64)
    /// The answer arrived, but its contents are wrong.
    case notUnderstood(reason: String)

    /// What happened and what to do, in a sentence.
    package var description: String {
        switch self {
        case .invalidURL(let reason), .notAllowed(let reason): reason
        case .nameNotFound(let host): "There is no host named \(host). Check the spelling."
        case .nameServerSilent(let host, let reason):
            "The address of \(host) could not be looked up (\(reason)). Check this machine's network and name server."
        case .refused(let address, let port):
            "Connection refused: nothing listens at \(address) port \(port). Check the port, and that the service runs."
        case .unreachable(let address, let port, let reason):
            "\(address) port \(port) cannot be reached (\(reason)). Check the network and the firewall."
        case .timedOut(let step, let time): "\(step.timeoutWords) within \(time.words). Try again, or allow more time."
        case .notSecure(let host, let reason): "No secure connection to \(host): \(reason)"
        case .reset(.receiving): "The connection was lost in the middle of the answer. Try again."
        case .reset:
            "The server closed the connection without an answer. Try again, and check that it speaks HTTP on this port."
        case .malformed(let reason): "The answer is not HTTP (\(reason)). Check the port."
        case .tooManyRedirects(let limit):
            "Redirected more than \(limit) times, perhaps in a circle. Use the final address."
        case .unexpectedStatus(let status, let reason, let expected):
            "The server answered \(status)\(reason.isEmpty ? "" : " " + reason)"
                + (expected.map { " where \($0) was expected." } ?? ".")
        case .tooLong(let limit): "The answer is longer than the limit of \(limit) bytes."
        case .notUnderstood(let reason): "The answer was not understood: \(reason)"
        }
    }

    /// Whether another attempt could succeed.
    package var mayPass: Bool {
        switch self {
        case .invalidURL, .notAllowed: false
        default: true
        }
    }
}

extension HTTPStep {
    fileprivate var timeoutWords: String {
        switch self {
        case .resolving: "The host's address was not found"
        case .connecting: "No connection was made"
        case .waiting: "The server accepted the request but did not answer"
        case .receiving: "The answer did not end"
        }
    }
}

extension Duration {
    /// The duration for people: `30 s`, `250 ms`.
    var words: String {
        let count = milliseconds
        if count < 1_000 { return "\(count) ms" }
        return count % 1_000 == 0 ? "\(count / 1_000) s" : "\(Double(count) / 1_000) s"
    }
}

/// What an HTTP exchange is doing; the names are those of ``HTTPRequestState``'s cases.
package enum HTTPStep: String, Codable, Sendable, Hashable {
    /// The host's name is being looked up.
    case resolving
    /// A connection is being made, TLS included.
    case connecting
    /// The request is being sent, and no answer has begun.
    case waiting
    /// The answer is arriving.
    case receiving
}
