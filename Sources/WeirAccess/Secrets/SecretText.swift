import Crypto
import WeirStates

/// A secret that is shown once: a prefix, 32 random bytes in base 62, and a checksum.
///
/// The checksum rejects mistyped secrets without a lookup and helps secret scanners. Only the SHA-256 of the text is stored.
package struct SecretText: Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        case token = "weir_"
        case link = "weir_run_"
        case session = "weir_session_"
        case password = "weir_password_"
    }

    private static let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
    /// The number of base-62 digits for 256 bits.
    private static let digits = 43
    private static let checkDigits = 6

    package let text: String
    package var hash: String { Self.hash(of: text) }

    init(_ kind: Kind, bytes: [UInt8]) {
        let body = kind.rawValue + Self.base62(bytes, digits: Self.digits)
        text = body + Self.checksum(of: body)
    }

    /// Parses a secret of the given kind; nil if prefix, length or checksum is wrong.
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

    static func digest(of text: String) -> SHA256Digest {
        var text = text
        return text.withUTF8 { bytes in
            var hash = SHA256()
            // Unsafe memory: the hash reads between the text's two ends, while the text is there.
            hash.update(bufferPointer: UnsafeRawBufferPointer(bytes))
            return hash.finalize()
        }
    }

    /// Returns the given number of random bytes from the system's generator.
    package static let random: @Sendable (Int) -> [UInt8] = { count in
        var generator = SystemRandomNumberGenerator()
        return (0..<max(0, count)).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    /// An id with one letter or digit per byte, without characters that are easily confused.
    static func shortID(_ bytes: [UInt8]) -> String {
        let letters = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)
        // The index is at most 31, and there are 32 letters.
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
            // The remainder of a division by 62 is an index of the 62 letters.
            text.append(alphabet[rest])
        }
        return String(decoding: text.reversed(), as: UTF8.self)
    }

    /// The CRC-32 (polynomial of ISO 3309) of the text, in base 62.
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
