import Crypto
import CryptoExtras
import Foundation
import WeirStates

/// The cost parameters of scrypt (RFC 7914).
package struct ScryptCost: Hashable, Sendable {
    /// The binary logarithm of N.
    let logRounds: Int
    /// The block size r.
    let blockSize: Int
    /// The parallelism p.
    let parallelism: Int

    /// N = 2¹⁷, r = 8, p = 1: uses 128 MiB and a few tenths of a second.
    package static let standard = ScryptCost(logRounds: 17, blockSize: 8, parallelism: 1)

    /// Validates the parameters of a stored hash; nil if they are out of range.
    init?(_ logRounds: Int, _ blockSize: Int, _ parallelism: Int) {
        guard (1...20).contains(logRounds), (1...16).contains(blockSize), (1...4).contains(parallelism) else {
            return nil
        }
        self.init(logRounds: logRounds, blockSize: blockSize, parallelism: parallelism)
    }

    init(logRounds: Int, blockSize: Int, parallelism: Int) {
        self.logRounds = logRounds
        self.blockSize = blockSize
        self.parallelism = parallelism
    }

    /// Derives 32 bytes from a secret of at least one byte, which is slow by design.
    package func derive(_ secret: [UInt8], salt: [UInt8]) throws -> [UInt8] {
        let key = try KDF.Scrypt.deriveKey(
            from: secret, salt: salt, outputByteCount: 32, rounds: 1 << logRounds, blockSize: blockSize,
            parallelism: parallelism)
        // Unsafe memory: the key's bytes are copied while they are borrowed.
        return key.withUnsafeBytes { Array($0) }
    }
}

/// A password hash with its salt and cost: `$scrypt$ln=17,r=8,p=1$SALT$HASH`, both in base 64.
struct PasswordHash: Hashable, Sendable, CustomStringConvertible {
    let cost: ScryptCost
    private let salt: [UInt8]
    private let hash: [UInt8]

    /// Hashes a password, which is slow by design: do not call on an event loop.
    init(_ password: String, cost: ScryptCost, salt: [UInt8]) throws {
        self.cost = cost
        self.salt = salt
        hash = try Self.derive(password, cost: cost, salt: salt)
    }

    /// Creates a hash that matches no password and takes as long to check as a user's.
    ///
    /// - Parameters:
    ///   - cost: The cost of a check.
    ///   - random: Returns the given number of random bytes.
    init(ofNoPassword cost: ScryptCost, random: (Int) -> [UInt8]) {
        self.cost = cost
        salt = random(16)
        hash = random(32)
    }

    /// Parses a ``description``; nil if the text is malformed.
    init?(_ text: String) {
        let parts = text.split(separator: "$", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 5, parts[0].isEmpty, parts[1] == "scrypt" else { return nil }
        let numbers = parts[2].split(separator: ",").map { $0.split(separator: "=") }
        guard numbers.count == 3, numbers.allSatisfy({ $0.count == 2 }),
            numbers.compactMap({ $0.first }) == ["ln", "r", "p"], let logRounds = Int(numbers[0][1]),
            let blockSize = Int(numbers[1][1]), let parallelism = Int(numbers[2][1]),
            let cost = ScryptCost(logRounds, blockSize, parallelism),
            let salt = Data(base64Encoded: parts[3]), let hash = Data(base64Encoded: parts[4]), hash.count == 32
        else { return nil }
        self.cost = cost
        self.salt = Array(salt)
        self.hash = Array(hash)
    }

    /// Returns whether the password matches, in constant time and slow by design: do not call on an event loop.
    func matches(_ password: String) throws -> Bool {
        let other = try Self.derive(password, cost: cost, salt: salt)
        return zip(hash, other).reduce(UInt8.zero) { $0 | ($1.0 ^ $1.1) } == 0 && hash.count == other.count
    }

    var description: String {
        let numbers = "ln=\(cost.logRounds),r=\(cost.blockSize),p=\(cost.parallelism)"
        return "$scrypt$\(numbers)$\(Data(salt).base64EncodedString())$\(Data(hash).base64EncodedString())"
    }

    private static func derive(_ password: String, cost: ScryptCost, salt: [UInt8]) throws -> [UInt8] {
        // Normalized, because keyboards compose characters differently. Passwords are never empty; the placeholder exists
        // because the library takes the address of the first byte.
        let bytes = password.isEmpty ? [0] : Array(password.precomposedStringWithCanonicalMapping.utf8)
        return try cost.derive(bytes, salt: salt)
    }
}

enum PasswordRule {
    static let minimum = 10
    /// The maximum number of bytes, which bounds the cost of hashing.
    static let maximumBytes = 1_024

    /// The reason why a new password is rejected, or nil if it is accepted.
    static func problem(with password: String, of name: String) -> Message? {
        guard password.count >= minimum else { return Message(AccessWording.shortPassword, ["count": "\(minimum)"]) }
        guard password.utf8.count <= maximumBytes else {
            return Message(AccessWording.longPassword, ["count": "\(maximumBytes)"])
        }
        guard !password.lowercased().contains(name.lowercased()) else {
            return Message(AccessWording.passwordHasName)
        }
        guard Set(password).count >= 4 else { return Message(AccessWording.plainPassword) }
        guard !CommonPassword.matches(password) else { return Message(AccessWording.commonPassword) }
        return nil
    }
}
