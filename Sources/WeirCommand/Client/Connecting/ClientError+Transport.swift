import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension ClientError {
    /// What an error of the connection means to the person who asked.
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
