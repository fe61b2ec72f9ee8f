import Crypto
import Foundation
import WeirStates

/// A text that a browser keeps and the server has signed, for one purpose and until a time: `TEXT.UNTIL.CODE`.
struct SealedText: Sendable {
    enum Purpose: String {
        /// The user who has entered the right password, and whose code is next.
        case step = "sign-in step"
        /// The secret of a second factor that is not yet confirmed.
        case offer = "second factor"
    }

    let content: String
    let text: String

    /// Signs a text.
    ///
    /// - Parameters:
    ///   - content: The text.
    ///   - purpose: The purpose; a text of another one is not valid.
    ///   - bound: A state of the server; the text is not valid in another one.
    ///   - until: The end of the validity, in milliseconds since 1970.
    ///   - key: The server's key.
    init(_ content: String, for purpose: Purpose, boundTo bound: String, until: Int64, key: String) {
        self.content = content
        let signed = "\(Hex(content.utf8).text).\(until)"
        text = "\(signed).\(Hex(Self.code(of: signed, purpose, bound, key)).text)"
    }

    /// The content of a text, which is not verified yet; nil if it is malformed.
    static func content(of text: String) -> String? {
        let part = text.prefix { $0 != "." }
        return Hex(String(part)).flatMap { String(validating: $0.bytes, as: UTF8.self) }
    }

    /// Parses a text; nil unless the server has signed it for this purpose and state, and it has not expired.
    init?(_ text: String, for purpose: Purpose, boundTo bound: String, now: Int64, key: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard !key.isEmpty, text.utf8.count <= 1_024, parts.count == 3, let content = Self.content(of: text),
            let until = Int64(parts[1]), now < until, let code = Hex(parts[2])?.bytes,
            HMAC<SHA256>.isValidAuthenticationCode(
                code, authenticating: Self.signed("\(parts[0]).\(until)", purpose, bound),
                using: SymmetricKey(data: Data(key.utf8)))
        else { return nil }
        (self.content, self.text) = (content, text)
    }

    private static func code(of text: String, _ purpose: Purpose, _ bound: String, _ key: String) -> HMAC<SHA256>.MAC {
        HMAC<SHA256>.authenticationCode(
            for: signed(text, purpose, bound), using: SymmetricKey(data: Data(key.utf8)))
    }

    private static func signed(_ text: String, _ purpose: Purpose, _ bound: String) -> Data {
        Data("\(purpose.rawValue)\n\(text)\n\(bound)".utf8)
    }
}
