import AsyncHTTPClient
import NIOCore
import NIOHTTP1

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension HTTPFailure {
    /// The failure for an error of the client, depending on the step in which it occurred.
    ///
    /// Until the connection is open, every error that is not a socket error is a TLS error: nothing else happens there.
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
            // What came was HTTP, as far as it came.
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

    /// Whether another address of the same host might succeed.
    var isOfAddress: Bool {
        switch self {
        case .refused, .unreachable: true
        default: false
        }
    }

    private static func ofSocket(_ code: CInt, during step: HTTPStep, target: HTTPTarget, address: String)
        -> HTTPFailure
    {
        switch (step, code) {
        case (.connecting, ECONNREFUSED): .refused(address: address, port: Int(target.port.number))
        case (.connecting, ECONNRESET) where target.isSecure:
            .notSecure(
                host: target.host, reason: "the server closed the connection. Check that it speaks TLS on this port.")
        case (.connecting, _):
            .unreachable(
                address: address, port: Int(target.port.number), reason: String(cString: strerror(code)).lowercased())
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
