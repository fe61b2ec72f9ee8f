import Crypto
package import Foundation
import WeirStates

/// Signatures by which a receiver authenticates a message with a shared secret.
package enum WebhookSignature {
    /// The header field in which GitHub and Weir sign a body: `sha256=` and the HMAC-SHA256 in hexadecimal digits.
    package static let header = "X-Hub-Signature-256"

    /// The value of ``header`` for a body.
    package static func github(_ body: some DataProtocol, secret: String) -> String {
        let code = HMAC<SHA256>.authenticationCode(for: body, using: SymmetricKey(data: Data(secret.utf8)))
        return "sha256=" + Hex(code).text
    }

    /// Whether a value of ``header`` is valid for a body; compares in constant time.
    static func isGitHub(_ sent: String, of body: some DataProtocol, secret: String) -> Bool {
        guard sent.hasPrefix("sha256="), let code = Hex(sent.dropFirst(7).lowercased())?.bytes else { return false }
        return HMAC<SHA256>.isValidAuthenticationCode(
            code, authenticating: body, using: SymmetricKey(data: Data(secret.utf8)))
    }

    /// Whether one of the Standard Webhooks signatures is valid for a message: `v1,BASE64 v1,BASE64`.
    ///
    /// The signed text is the id, the time and the body, separated by dots. A secret that begins with `whsec_` is
    /// decoded from base 64.
    static func isStandard(
        _ sent: String, id: String, timestamp: String, body: some DataProtocol, secret: String
    ) -> Bool {
        var message = Data("\(id).\(timestamp).".utf8)
        message.append(contentsOf: body)
        let encoded = secret.hasPrefix("whsec_") ? Data(base64Encoded: String(secret.dropFirst(6))) : nil
        let key = SymmetricKey(data: encoded ?? Data(secret.utf8))
        // Each comparison takes constant time; the number of signatures is not secret.
        return sent.split(separator: " ").prefix(10).contains { signature in
            guard signature.hasPrefix("v1,"), let code = Data(base64Encoded: String(signature.dropFirst(3))) else {
                return false
            }
            return HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: message, using: key)
        }
    }

    /// Whether two texts are equal; the time depends only on their lengths.
    static func isSame(_ left: String, _ right: String) -> Bool {
        // Digests are compared in constant time.
        SHA256.hash(data: Data(left.utf8)) == SHA256.hash(data: Data(right.utf8))
    }
}
