import Crypto
import Foundation

/// One-time codes by time (RFC 6238): HMAC-SHA-1, six digits and steps of 30 seconds, which all authenticator apps support.
enum TimeCode {
    /// The length of a step in milliseconds.
    static let period: Int64 = 30_000
    static let digits = 6

    static func step(at now: Int64) -> Int64 { now / period }

    /// The code of a step.
    ///
    /// - Parameters:
    ///   - secret: The shared secret.
    ///   - step: The number of the step since 1970.
    ///   - digits: The length of the code.
    /// - Returns: The code, with leading zeros.
    static func code(_ secret: [UInt8], step: Int64, digits: Int = digits) -> String {
        let counter = (0..<8).map { UInt8(truncatingIfNeeded: step >> (56 - 8 * Int64($0))) }
        let hash = HMAC<Insecure.SHA1>.authenticationCode(for: counter, using: SymmetricKey(data: secret))
        let bytes = Array(hash)
        // The last four bits select four bytes (RFC 4226, section 5.3).
        let offset = Int((bytes.last ?? 0) & 0x0F)
        // Never traps: a byte fits.
        let number = bytes.dropFirst(offset).prefix(4).reduce(UInt32.zero) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        let text = String(number).suffix(digits)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }

    /// The step whose code was typed: the current one, the one before or the one after; nil if none of them is or it was used.
    ///
    /// - Parameters:
    ///   - code: The typed code.
    ///   - secret: The shared secret.
    ///   - used: The newest used step, or nil; it and the steps before it are refused.
    ///   - now: The time in milliseconds since 1970.
    /// - Returns: The step.
    static func step(of code: String, _ secret: [UInt8], after used: Int64?, now: Int64) -> Int64? {
        let current = step(at: now)
        let typed = Array(code.utf8)
        return [current, current - 1, current + 1].first { step in
            let own = Array(Self.code(secret, step: step).utf8)
            let isEqual = own.count == typed.count && zip(own, typed).reduce(UInt8.zero) { $0 | ($1.0 ^ $1.1) } == 0
            return isEqual && step > used ?? .min
        }
    }
}

/// Base 32 (RFC 4648) without padding.
enum Base32 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

    static func text(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        var (rest, count): (UInt32, UInt32) = (0, 0)
        func letter(_ value: UInt32) -> UInt8 {
            // Five bits are an index of the 32 letters.
            alphabet[Int(value & 31)]
        }
        for byte in bytes {
            // Never traps: a byte fits.
            (rest, count) = (rest << 8 | UInt32(byte), count + 8)
            while count >= 5 {
                count -= 5
                text.append(letter(rest >> count))
            }
            rest &= 0xFF
        }
        if count > 0 { text.append(letter(rest << (5 - count))) }
        return String(decoding: text, as: UTF8.self)
    }
}
