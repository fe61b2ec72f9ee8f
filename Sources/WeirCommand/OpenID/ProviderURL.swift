import Foundation
import WeirAccess
import WeirStates

/// The URL of an issuer or of one of its endpoints: https, or http on this machine.
///
/// It has a host, a port that exists if any, no user or password, and no fragment.
package struct ProviderURL: Hashable, Sendable {
    /// The URL, exactly as it was written.
    package let text: String
    /// Whether what is sent there is encrypted.
    let isSecure: Bool

    /// Accepts a URL; nil for one that a secret must not be sent to.
    package init?(_ text: String) {
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

    /// The URL with these parameters added to its query.
    func adding(_ parameters: [(String, String)]) -> String {
        text + (text.contains("?") ? "&" : "?") + FormText.encode(parameters)
    }
}

/// The form in which parameters are sent (`application/x-www-form-urlencoded`).
enum FormText {
    static func encode(_ parameters: [(String, String)]) -> String {
        parameters.map { PercentEncoding.encode($0.0) + "=" + PercentEncoding.encode($0.1) }.joined(separator: "&")
    }
}

/// Base 64 in the alphabet for URLs, without padding (RFC 4648, section 5).
enum Base64URL {
    static func encode(_ bytes: some Sequence<UInt8>) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    static func decode(_ text: String) -> Data? {
        let standard = text.replacing("-", with: "+").replacing("_", with: "/")
        // Never traps: what is left of a division by four is at most three.
        return Data(base64Encoded: standard + String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4))
    }
}
