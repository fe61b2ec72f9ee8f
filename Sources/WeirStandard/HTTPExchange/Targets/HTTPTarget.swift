import Foundation

/// The destination of a URL: host, port, and whether the connection must be secure.
///
/// Every URL of an exchange goes through it, whether it comes from an input, a setting or a redirect.
package struct HTTPTarget: Sendable {
    /// The URL, complete and without user name and password.
    let url: URL
    /// The host in the form for resolvers and clients: no brackets around an address.
    let host: String
    let port: Port
    let isSecure: Bool
    /// The host's address if the URL contains it, so that there is no name to look up.
    let address: IPAddress?

    /// Reads an absolute `http` or `https` URL.
    ///
    /// Throws ``HTTPFailure/invalidURL(reason:)``, which quotes nothing that a URL may carry as a secret.
    package init(_ text: String) throws(HTTPFailure) {
        guard text.utf8.count <= 8_192, let url = URL(string: text), let scheme = url.scheme?.lowercased() else {
            throw .invalidURL(reason: "This is not a URL. Enter a complete one, such as http://example.com/.")
        }
        guard scheme == "http" || scheme == "https" else {
            throw .invalidURL(
                reason: "URLs of the kind \(scheme.inert(limit: 20)) cannot be requested. Use http or https.")
        }
        let authority = Self.authority(url.absoluteString)
        // No host has an `@`, so what stands before one that is encoded is meant to let somebody in, too.
        guard url.user == nil, url.password == nil, !authority.contains("@"), !authority.contains("%40"),
            !Self.authority(text).unicodeScalars.contains("@")
        else {
            throw .invalidURL(
                reason: "This URL contains a user name or password, which would be recorded. Leave it out.")
        }
        guard let named = url.host, !named.isEmpty else {
            throw .invalidURL(reason: "This URL names no host. Enter a complete one, such as http://example.com/.")
        }
        // The text of the port is read here, and not the URL's number: what is too large must not be taken for none.
        let digits = authority.split(separator: ":", omittingEmptySubsequences: false).last ?? ""
        let hasPort = authority.contains(":") && !authority.hasSuffix("]") && !digits.isEmpty
        guard let port = hasPort ? Port(text: digits) : Port(scheme == "https" ? 443 : 80),
            url.port == (hasPort ? Int(port.number) : nil)
        else { throw .invalidURL(reason: "This URL has a port that does not exist. Ports go from 1 to 65535.") }
        let host = named.hasPrefix("[") && named.hasSuffix("]") ? String(named.dropFirst().dropLast()) : named
        address = IPAddress(host)
        guard address != nil || !host.contains(":") else {
            throw .invalidURL(reason: "This URL names no host. Enter a complete one, such as http://example.com/.")
        }
        self.url = url
        self.host = host
        self.port = port
        isSecure = scheme == "https"
    }

    /// The URL as it is requested.
    var text: String { url.absoluteString }

    /// Host and port as the setting that allows requests takes them.
    package var place: String {
        let host = host.inert(limit: 200)
        return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    /// The place that a redirect names, as an absolute URL or, where it is none, as it is.
    func resolving(_ place: String) -> String { URL(string: place, relativeTo: url)?.absoluteString ?? place }

    /// The part between the scheme and the path.
    private static func authority(_ text: String) -> Substring {
        guard let start = text.firstRange(of: "//") else { return "" }
        return text[start.upperBound...].prefix { !"/?#".contains($0) }
    }
}
