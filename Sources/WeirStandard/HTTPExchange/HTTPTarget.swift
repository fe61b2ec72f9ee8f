import Foundation

/// The endpoint of a URL: host, port and scheme.
///
/// Validates every URL of an exchange, whether from an input, a setting or a redirect.
package struct HTTPTarget: Sendable {
    /// The complete URL, without user name and password.
    let url: URL
    /// The host without brackets around an address.
    let host: String
    let port: Port
    let isSecure: Bool
    /// The address, if the host is a literal one.
    let address: IPAddress?

    /// Parses an absolute `http` or `https` URL.
    ///
    /// Throws ``HTTPFailure/invalidURL(reason:)``, whose message quotes no possible secret of the URL.
    package init(_ text: String) throws(HTTPFailure) {
        guard text.utf8.count <= 8_192, let url = URL(string: text), let scheme = url.scheme?.lowercased() else {
            throw .invalidURL(reason: "This is not a URL. Enter a complete one, such as http://example.com/.")
        }
        guard scheme == "http" || scheme == "https" else {
            throw .invalidURL(
                reason: "URLs of the kind \(scheme.inert(limit: 20)) cannot be requested. Use http or https.")
        }
        let authority = Self.authority(url.absoluteString)
        // Host names contain no `@`, so an encoded one separates credentials, too.
        guard url.user == nil, url.password == nil, !authority.contains("@"), !authority.contains("%40"),
            !Self.authority(text).unicodeScalars.contains("@")
        else {
            throw .invalidURL(
                reason: "This URL contains a user name or password, which would be recorded. Leave it out.")
        }
        guard let named = url.host, !named.isEmpty else {
            throw .invalidURL(reason: "This URL names no host. Enter a complete one, such as http://example.com/.")
        }
        // Parses the text of the port, because `URL` reports a port that overflows as absent.
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

    var text: String { url.absoluteString }

    /// Host and port in the format of the setting that allows requests.
    package var place: String {
        let host = host.inert(limit: 200)
        return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    /// The target of a redirect as an absolute URL, or unchanged if it is invalid.
    func resolving(_ place: String) -> String { URL(string: place, relativeTo: url)?.absoluteString ?? place }

    private static func authority(_ text: String) -> Substring {
        guard let start = text.firstRange(of: "//") else { return "" }
        return text[start.upperBound...].prefix { !"/?#".contains($0) }
    }
}
