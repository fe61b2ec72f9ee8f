import Foundation
import NIOSSL
import WeirAccess
import WeirStates

/// This server's registration at an OpenID provider, and the claims that it reads.
struct OpenIDConfiguration: Sendable {
    /// How the server authenticates at the token endpoint.
    enum ClientAuthentication: String, Sendable {
        /// In the `Authorization` header: `client_secret_basic`.
        case basic
        /// In the form: `client_secret_post`.
        case post
    }

    /// The client secret, whose description is redacted for logs.
    struct ClientSecret: Sendable, CustomStringConvertible {
        let text: String
        var description: String { "•••" }

        init(_ text: String) { self.text = text }
    }

    /// The issuer identifier, exactly as the provider writes it.
    let issuer: String
    let clientID: String
    let clientSecret: ClientSecret
    /// The redirect URI, which must be registered at the provider exactly as it is here.
    let redirectURI: String
    let signedOutURI: String
    /// How the server sends its secret, or nil to use a method that the provider offers.
    var clientAuthentication: ClientAuthentication?
    /// The scopes requested in addition to `openid`.
    var scopes: [String] = ["profile"]
    var nameClaim = ClaimPath("name")
    var groupsClaim = ClaimPath("groups")
    /// The root certificates trusted for the provider, in addition to those of the system.
    var roots: TrustedRoots?
    /// The accepted clock difference, in milliseconds.
    var leeway: Int64 = 60_000

    /// Creates a configuration for a server at `publicURL`, with or without a trailing slash.
    init(issuer: ProviderURL, clientID: String, clientSecret: ClientSecret, publicURL: String) {
        self.issuer = issuer.text
        self.clientID = clientID
        self.clientSecret = clientSecret
        let base = publicURL.hasSuffix("/") ? String(publicURL.dropLast()) : publicURL
        redirectURI = base + "/sign-in/return"
        signedOutURI = base + "/sign-in"
    }

    /// The prefix of all identities of this issuer; the subject follows, and an issuer contains no `#`.
    var identityPrefix: String { issuer + "#" }

    var discoveryURL: String {
        (issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer) + "/.well-known/openid-configuration"
    }
}

/// The path of a claim: its name, or names separated by dots for a nested claim, such as `realm_access.roles`.
///
/// A claim whose own name contains dots, such as `https://id.example/groups`, takes precedence over a nested one.
struct ClaimPath: Hashable, Sendable, CustomStringConvertible {
    let description: String

    init(_ text: String) { description = text }

    /// The claim's value, or nil if it is absent or null.
    func value(in claims: JSONValue) -> JSONValue? {
        var value = claims[description]
        if value == nil {
            value = claims
            for name in description.split(separator: ".") { value = value?[String(name)] }
        }
        guard let value, value != .null else { return nil }
        return value
    }

    /// The strings of a claim that is a string or a list of strings, or nil if it is absent or has another type.
    func texts(in claims: JSONValue) -> [String]? {
        guard let value = value(in: claims) else { return nil }
        if let text = value.string { return [text] }
        return value.array.map { $0.compactMap(\.string) }
    }
}

/// Root certificates to trust for a provider, in addition to those of the system.
struct TrustedRoots: Sendable {
    let certificates: [NIOSSLCertificate]

    /// Parses PEM certificates; nil if the data contains no certificate, or an invalid one.
    init?(pem: Data) {
        guard let certificates = try? NIOSSLCertificate.fromPEMBytes(Array(pem)), !certificates.isEmpty else {
            return nil
        }
        self.certificates = certificates
    }
}

/// The URL of an issuer or one of its endpoints: https, or http on a loopback address.
///
/// It has a host and no user, password or fragment, and its port, if present, is valid.
struct ProviderURL: Hashable, Sendable {
    /// The URL, exactly as written.
    let text: String
    let isSecure: Bool

    /// Parses a URL; nil if a secret must not be sent to it.
    init?(_ text: String) {
        let isPlain = text.utf8.count <= 2_000 && text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
        guard isPlain, let parts = URLComponents(string: text), let host = parts.host, !host.isEmpty,
            parts.user == nil, parts.password == nil, parts.fragment == nil,
            parts.rangeOfPort.map({ (1...65_535).contains(Int(text[$0]) ?? 0) }) ?? true
        else { return nil }
        let name = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        switch parts.scheme {
        case "https": isSecure = true
        case "http" where name == "localhost" || NetworkAddress(name)?.isLoopback == true: isSecure = false
        default: return nil
        }
        self.text = text
    }

    func adding(_ parameters: [(String, String)]) -> String {
        text + (text.contains("?") ? "&" : "?") + FormText.encode(parameters)
    }
}

enum FormText {
    static func encode(_ parameters: [(String, String)]) -> String {
        parameters.map { PercentEncoding.encode($0.0) + "=" + PercentEncoding.encode($0.1) }.joined(separator: "&")
    }
}

/// Base64 with the URL-safe alphabet, without padding (RFC 4648, section 5).
enum Base64URL {
    static func encode(_ bytes: some Sequence<UInt8>) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    static func decode(_ text: String) -> Data? {
        let standard = text.replacing("-", with: "+").replacing("_", with: "/")
        // Never traps: the remainder of a division by four is at most three.
        return Data(base64Encoded: standard + String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4))
    }
}
