import Crypto
package import Foundation

/// The signatures by which a receiver knows that a message is from whoever shares a secret with it.
package enum WebhookSignature {
    /// The header field in which GitHub, and Weir, sign a body: `sha256=` and the HMAC-SHA256 in hexadecimal digits.
    package static let header = "X-Hub-Signature-256"

    /// The value of ``header`` for a body.
    package static func github(_ body: some DataProtocol, secret: String) -> String {
        let code = HMAC<SHA256>.authenticationCode(for: body, using: SymmetricKey(data: Data(secret.utf8)))
        return "sha256=" + code.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// Whether a value of ``header`` is the body's; compares in constant time.
    package static func isGitHub(_ sent: String, of body: some DataProtocol, secret: String) -> Bool {
        guard sent.hasPrefix("sha256="), let code = bytes(ofHexadecimal: sent.dropFirst(7)) else { return false }
        return HMAC<SHA256>.isValidAuthenticationCode(
            code, authenticating: body, using: SymmetricKey(data: Data(secret.utf8)))
    }

    /// Whether one of the signatures of the Standard Webhooks form is the message's: `v1,BASE64 v1,BASE64`.
    ///
    /// What is signed is the id, the time and the body, with points between them. A secret that begins with `whsec_` stands
    /// for the bytes that the rest encodes in base 64.
    package static func isStandard(
        _ sent: String, id: String, timestamp: String, body: some DataProtocol, secret: String
    ) -> Bool {
        var message = Data("\(id).\(timestamp).".utf8)
        message.append(contentsOf: body)
        let encoded = secret.hasPrefix("whsec_") ? Data(base64Encoded: String(secret.dropFirst(6))) : nil
        let key = SymmetricKey(data: encoded ?? Data(secret.utf8))
        // Each is compared in constant time; how many there are is for everybody to see.
        return sent.split(separator: " ").prefix(10).contains { signature in
            guard signature.hasPrefix("v1,"), let code = Data(base64Encoded: String(signature.dropFirst(3))) else {
                return false
            }
            return HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: message, using: key)
        }
    }

    /// Whether two texts are the same; takes as long for any two of their lengths.
    package static func isSame(_ left: String, _ right: String) -> Bool {
        // Digests are compared in constant time.
        SHA256.hash(data: Data(left.utf8)) == SHA256.hash(data: Data(right.utf8))
    }

    private static func bytes(ofHexadecimal digits: Substring) -> Data? {
        let digits = Array(digits.utf8)
        guard digits.count == SHA256.byteCount * 2 else { return nil }
        var bytes = Data()
        var high: UInt8?
        for digit in digits {
            let value: UInt8
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = digit - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = digit - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): value = digit - UInt8(ascii: "A") + 10
            default: return nil
            }
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return bytes
    }
}
