import Crypto
import WeirStates

/// A secret that is handed out once, as a text: a prefix, 32 random bytes in base 62, and a checksum.
///
/// The checksum lets a mistyped or truncated secret be refused without looking anything up, and lets scanners of source
/// code recognise one. Only the SHA-256 of the text is kept.
package struct SecretText: Sendable {
    /// What kinds of secrets there are.
    package enum Kind: String, CaseIterable, Sendable {
        /// A token for a program.
        case token = "weir_"
        /// A link to one run.
        case link = "weir_run_"
        /// The session of a browser, in its cookie.
        case session = "weir_session_"
    }

    private static let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
    /// So many digits hold 256 bits.
    private static let digits = 43
    private static let checkDigits = 6

    /// The secret.
    package let text: String
    /// The SHA-256 of the secret, in hexadecimal digits: what is kept.
    package var hash: String { Self.hash(of: text) }

    /// Makes a new one.
    package init(_ kind: Kind, bytes: [UInt8]) {
        let body = kind.rawValue + Self.base62(bytes, digits: Self.digits)
        text = body + Self.checksum(of: body)
    }

    /// Accepts a text of that kind; nil for what cannot be one.
    package init?(_ text: String, kind: Kind) {
        let bytes = Array(text.utf8)
        let prefix = Array(kind.rawValue.utf8)
        guard bytes.count == prefix.count + Self.digits + Self.checkDigits, bytes.starts(with: prefix),
            bytes.dropFirst(prefix.count).allSatisfy(Self.alphabet.contains),
            Self.checksum(of: String(text.dropLast(Self.checkDigits))) == String(text.suffix(Self.checkDigits))
        else { return nil }
        self.text = text
    }

    /// The SHA-256 of a text, in hexadecimal digits.
    package static func hash(of text: String) -> String { Hex(digest(of: text)).text }

    /// The SHA-256 of a text.
    static func digest(of text: String) -> SHA256Digest {
        var text = text
        return text.withUTF8 { bytes in
            var hash = SHA256()
            // Unsafe memory: the hash reads between the text's two ends, while the text is there.
            hash.update(bufferPointer: UnsafeRawBufferPointer(bytes))
            return hash.finalize()
        }
    }

    /// So many random bytes of the system's.
    package static let random: @Sendable (Int) -> [UInt8] = { count in
        var generator = SystemRandomNumberGenerator()
        return (0..<max(0, count)).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    /// A short name for something, of so many letters and digits without those that are easily confused.
    package static func shortID(_ bytes: [UInt8]) -> String {
        let letters = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)
        // Five bits are at most 31, and there are 32 letters.
        return String(decoding: bytes.map { letters[Int($0 & 31)] }, as: UTF8.self)
    }

    private static func base62(_ bytes: [UInt8], digits: Int) -> String {
        var number = bytes.map(Int.init)
        var text: [UInt8] = []
        for _ in 0..<digits {
            var rest = 0
            for index in number.indices {
                let value = rest << 8 | number[index]
                number[index] = value / 62
                rest = value % 62
            }
            // The rest of a division by 62 is a place of 62 letters.
            text.append(alphabet[rest])
        }
        return String(decoding: text.reversed(), as: UTF8.self)
    }

    /// The CRC-32 (the polynomial of ISO 3309) of the text, in base 62.
    private static func checksum(of text: String) -> String {
        var crc: UInt32 = .max
        for byte in text.utf8 {
            // Never traps: a byte fits.
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc >> 1 ^ (crc & 1 == 1 ? 0xEDB8_8320 : 0) }
        }
        crc = ~crc
        // Never traps: there are four bytes, numbered from 0.
        return base62((0..<4).map { UInt8(truncatingIfNeeded: crc >> (24 - 8 * UInt32($0))) }, digits: checkDigits)
    }
}
