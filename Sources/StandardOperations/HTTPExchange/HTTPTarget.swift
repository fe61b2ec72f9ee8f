import Foundation
import NIOCore

/// Where a URL leads: host, port, and whether the way there is to be secure.
struct HTTPTarget: Sendable {
    let url: URL
    let host: String
    let port: Int
    let isSecure: Bool
    /// Whether the host is given in numbers, so that there is no name to look up.
    let isAddress: Bool

    /// Reads an absolute `http` or `https` URL.
    ///
    /// Throws ``HTTPFailure/invalidURL(reason:)``.
    init(_ text: String) throws(HTTPFailure) {
        guard let url = URL(string: text), let scheme = url.scheme?.lowercased() else {
            throw .invalidURL(reason: "This is no URL. Write it whole, such as http://example.com/.")
        }
        guard scheme == "http" || scheme == "https" else {
            throw .invalidURL(
                reason: "URLs of the kind \(scheme.inert(limit: 20)) cannot be asked for. Use http or https.")
        }
        guard let host = url.host, !host.isEmpty else {
            throw .invalidURL(reason: "This URL names no host. Write it whole, such as http://example.com/.")
        }
        guard url.user == nil, url.password == nil else {
            throw .invalidURL(
                reason: "This URL carries a user name or password, which would be written down. Leave it out.")
        }
        self.url = url
        self.host = host
        isSecure = scheme == "https"
        port = url.port ?? (isSecure ? 443 : 80)
        isAddress = (try? SocketAddress(ipAddress: host, port: 0)) != nil
    }

    /// The URL a redirect leads to, from here.
    ///
    /// Throws ``HTTPFailure/invalidURL(reason:)``.
    func redirected(to place: String) throws(HTTPFailure) -> String {
        guard let next = URL(string: place, relativeTo: url)?.absoluteString else {
            throw .invalidURL(reason: "The server redirects to something that is no URL.")
        }
        return next
    }
}
