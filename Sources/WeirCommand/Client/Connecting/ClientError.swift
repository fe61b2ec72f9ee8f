import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// The failure of a client command: a sentence with a remedy, and the exit code.
struct ClientError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure, with the exit codes of sysexits.h.
    enum Kind: Int32, Sendable, Hashable {
        /// The server rejects the input: EX_DATAERR.
        case refused = 65
        /// The named resource does not exist: EX_NOINPUT.
        case missing = 66
        /// The server is unreachable or at capacity: EX_UNAVAILABLE.
        case unavailable = 69
        /// A file cannot be written: EX_CANTCREAT.
        case file = 73
        /// Another process is at work on the same: EX_TEMPFAIL.
        case busy = 75
        /// The peer is not a Weir server, or violates the protocol: EX_PROTOCOL.
        case foreign = 76
        /// The server does not authenticate or authorize the caller: EX_NOPERM.
        case forbidden = 77
        /// A profile or an option is invalid: EX_CONFIG.
        case misconfigured = 78
    }

    let kind: Kind
    let description: String
    /// The cause without the remedy, for callers that retry.
    let cause: String
    /// Whether the same request can succeed later.
    var isTemporary = false
    var retryAfter: Int64?

    init(
        _ kind: Kind, _ cause: String, remedy: String? = nil, isTemporary: Bool = false, retryAfter: Int64? = nil
    ) {
        self.kind = kind
        self.cause = cause
        description = remedy.map { "\(cause) \($0)" } ?? cause
        self.isTemporary = isTemporary
        self.retryAfter = retryAfter
    }

    var exitCode: Int32 { kind.rawValue }
}

extension ClientError {
    init(_ answer: ServerAnswer, from address: ServerAddress) {
        let problem = answer.problem
        let detail = problem.map { VisibleText.line($0.detail) }
        let sentence = detail ?? "The server answered with status \(answer.status)."
        switch answer.status {
        case 300..<400:
            let place = answer.header("Location").map { " (\(VisibleText.line($0)))" } ?? ""
            self.init(.misconfigured, "\(address) sends the request elsewhere\(place). Name the server's own address.")
        case 401:
            self.init(
                .forbidden,
                "\(address) does not accept the token, or needs one. Run `weir login \(address)` with a token that "
                    + "`weir token create` made.")
        case 403: self.init(.forbidden, sentence)
        case 408, 429, 500, 502, 503, 504:
            self.init(
                .unavailable, sentence, remedy: "Try again later.", isTemporary: true,
                retryAfter: answer.header("Retry-After").flatMap { Int64($0) })
        case _ where problem == nil:
            // For example, the error page of a proxy in front of an unavailable server.
            self.init(
                .foreign,
                "What answers at \(address) is not a Weir server (status \(answer.status)). Check the address.",
                isTemporary: answer.status == 404)
        case 404, 410: self.init(.missing, sentence)
        default:
            let fields = (problem?.fields ?? []).filter { $0.detail != problem?.detail }.map {
                "\n  \(VisibleText.line($0.name)): \(VisibleText.line($0.detail))"
            }
            self.init(.refused, sentence + fields.joined())
        }
    }
}

extension ClientError {
    init(transport error: any Error, to address: ServerAddress) {
        if let known = error as? ClientError {
            self = known
        } else if Self.isOfCertificate(error) {
            self.init(
                .misconfigured,
                "The certificate of \(address) is not trusted here: its name, its date or its issuer is wrong. If the issuer is "
                    + "your own, give its certificate with --ca-file.")
        } else if Self.isOfTLS(error) {
            self.init(
                .misconfigured,
                "\(address) does not speak TLS. Check the port, or write http:// instead of https://.")
        } else {
            self.init(
                .unavailable, "No server answers at \(address): \(Self.reason(error)).",
                remedy: "Start it with `weir serve`, or name another with --server.",
                isTemporary: true)
        }
    }

    private static func isOfCertificate(_ error: any Error) -> Bool {
        if let error = error as? NIOSSLExtraError, error == .failedToValidateHostname { return true }
        let text = "\(error)"
        return text.contains("CERTIFICATE_VERIFY_FAILED") || text.contains("unableToValidateCertificate")
    }

    private static func isOfTLS(_ error: any Error) -> Bool {
        let text = "\(error)"
        return error is NIOSSLError || error is BoringSSLError || text.contains("WRONG_VERSION_NUMBER")
            || text.contains("HTTP_REQUEST")
    }

    private static func reason(_ error: any Error) -> String {
        switch error {
        case let error as NIOConnectionError:
            if let first = error.connectionErrors.first { return reason(first.error) }
            return "its name is not known"
        case let error as IOError: return words(error.errnoCode)
        case let error as HTTPClientError: return words(error)
        case is HTTPParserError: return "the connection broke off"
        case is ProgressCount.Stalled: return words(HTTPClientError.readTimeout)
        case is CancellationError: return "the request was given up"
        default: return "the connection failed"
        }
    }

    private static func words(_ error: HTTPClientError) -> String {
        switch error {
        case .connectTimeout: "nothing answers there"
        case .readTimeout, .deadlineExceeded, .tlsHandshakeTimeout: "it does not answer in time"
        case .remoteConnectionClosed, .uncleanShutdown: "the connection broke off"
        case .cancelled: "the request was given up"
        default: "the connection failed"
        }
    }

    private static func words(_ code: CInt) -> String {
        switch code {
        case ECONNREFUSED: "the connection is refused"
        case ECONNRESET, EPIPE: "the connection broke off"
        case EHOSTUNREACH, ENETUNREACH: "the network does not reach it"
        case ETIMEDOUT: "nothing answers there"
        default: String(cString: strerror(code)).lowercased()
        }
    }
}
