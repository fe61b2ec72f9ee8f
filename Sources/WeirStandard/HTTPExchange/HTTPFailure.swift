import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import WeirStates

/// The reason why an HTTP exchange failed.
package enum HTTPFailure: ExplainedError, Sendable, Equatable {
    /// The URL is unusable; the reason is a sentence.
    case invalidURL(reason: String)
    /// The policy forbids the request; the reason is a sentence that names the setting.
    case notAllowed(reason: String)
    case nameNotFound(host: String)
    /// The name could not be resolved.
    case nameServerSilent(host: String, reason: String)
    /// The connection was refused.
    case refused(address: String, port: Int)
    case unreachable(address: String, port: Int, reason: String)
    case timedOut(during: HTTPStep, after: Duration)
    /// TLS failed.
    case notSecure(host: String, reason: String)
    /// The peer closed the connection.
    case reset(during: HTTPStep)
    /// The response is not HTTP.
    case malformed(reason: String)
    case tooManyRedirects(limit: Int)
    case unexpectedStatus(Int, reason: String, expected: Int?)
    case tooLong(limit: Int64)
    /// The content of the response is invalid.
    case notUnderstood(reason: String)

    /// The reason and the remedy.
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

    /// Whether a retry could succeed.
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
    /// The duration for users: `30 s`, `250 ms`.
    var words: String {
        let count = milliseconds
        if count < 1_000 { return "\(count) ms" }
        return count % 1_000 == 0 ? "\(count / 1_000) s" : "\(Double(count) / 1_000) s"
    }
}

/// The steps of an HTTP exchange, named as the cases of ``HTTPRequestState``.
package enum HTTPStep: String, Codable, Sendable, Hashable {
    case resolving
    /// The connection is being made, including TLS.
    case connecting
    /// The request is being sent, and no response has started.
    case waiting
    case receiving
}

extension HTTPFailure {
    /// The failure for an error of the client in a given step.
    ///
    /// Before the connection is open, every error that is not a socket error is a TLS error.
    init(_ error: any Error, during step: HTTPStep, target: HTTPTarget, address: String) {
        if let failure = error as? HTTPFailure {
            self = failure
        } else if let failure = error as? StatusGuard.NoStatus {
            self = .malformed(reason: "\(failure)")
        } else if let failure = error as? IOError {
            self = Self.ofSocket(failure.errnoCode, during: step, target: target, address: address)
        } else if let failure = error as? HTTPClientError {
            self = Self.ofClient(failure, during: step, target: target, address: address)
        } else if case .invalidEOFState? = error as? HTTPParserError {
            // The received part was valid HTTP.
            self = .reset(during: step)
        } else if error is HTTPParserError {
            self = .malformed(reason: "\(error)".inert(limit: 80))
        } else if error is ChannelError {
            self =
                step == .connecting
                ? .unreachable(address: address, port: Int(target.port.number), reason: "no answer")
                : .reset(during: step)
        } else if step == .connecting, target.isSecure {
            self = .notSecure(host: target.host, reason: Self.tlsReason(error))
        } else {
            self = .malformed(reason: "\(type(of: error))")
        }
    }

    /// Whether another address of the host might succeed.
    var isOfAddress: Bool {
        switch self {
        case .refused, .unreachable: true
        default: false
        }
    }

    /// The failure of a connection; `code` is the system's error number, or nil if the address did not answer.
    package static func ofConnecting(to address: String, port: Int, code: CInt?) -> HTTPFailure {
        switch code {
        case nil: .unreachable(address: address, port: port, reason: "no answer")
        case ECONNREFUSED?: .refused(address: address, port: port)
        case let code?:
            .unreachable(address: address, port: port, reason: String(cString: strerror(code)).lowercased())
        }
    }

    private static func ofSocket(_ code: CInt, during step: HTTPStep, target: HTTPTarget, address: String)
        -> HTTPFailure
    {
        switch (step, code) {
        case (.connecting, ECONNRESET) where target.isSecure:
            .notSecure(
                host: target.host, reason: "the server closed the connection. Check that it speaks TLS on this port.")
        case (.connecting, _): ofConnecting(to: address, port: Int(target.port.number), code: code)
        default: .reset(during: step)
        }
    }

    private static func ofClient(
        _ error: HTTPClientError, during step: HTTPStep, target: HTTPTarget, address: String
    ) -> HTTPFailure {
        switch error {
        case .connectTimeout:
            .unreachable(address: address, port: Int(target.port.number), reason: "no answer")
        case .tlsHandshakeTimeout:
            .notSecure(
                host: target.host, reason: "the server does not answer the handshake. Try http, or another port.")
        case .remoteConnectionClosed where step == .connecting && target.isSecure,
            .uncleanShutdown where step == .connecting:
            .notSecure(
                host: target.host, reason: "the server closed the connection. Check that it speaks TLS on this port.")
        case .remoteConnectionClosed, .uncleanShutdown:
            .reset(during: step)
        default:
            .malformed(reason: error.shortDescription.inert(limit: 80))
        }
    }

    private static func tlsReason(_ error: any Error) -> String {
        let text = "\(error)"
        if text.contains("WRONG_VERSION_NUMBER") || text.contains("HTTP_REQUEST") {
            return "the server does not speak TLS on this port. Try http, or another port."
        }
        if text.contains("CERTIFICATE_VERIFY_FAILED") || text.contains("unableToValidateCertificate") {
            return "its certificate is not trusted here. Check its name, its date and its issuer."
        }
        return "the handshake failed. Check that the server speaks TLS on this port."
    }
}
