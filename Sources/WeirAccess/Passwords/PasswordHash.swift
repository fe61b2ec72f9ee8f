import Crypto
import CryptoExtras
import Foundation

/// How much work a password's hash takes: the parameters of scrypt (RFC 7914).
package struct ScryptCost: Hashable, Sendable {
    /// The binary logarithm of N.
    package let logRounds: Int
    /// The block size r.
    package let blockSize: Int
    /// The parallelism p.
    package let parallelism: Int

    /// N = 2¹⁷, r = 8, p = 1: 128 MiB, and some tenths of a second.
    package static let standard = ScryptCost(logRounds: 17, blockSize: 8, parallelism: 1)

    /// Accepts what a hash may ask for; nil for what would take too much memory or none.
    package init?(_ logRounds: Int, _ blockSize: Int, _ parallelism: Int) {
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
}

/// A password's hash with its salt and cost: `$scrypt$ln=17,r=8,p=1$SALT$HASH`, both in base 64.
package struct PasswordHash: Hashable, Sendable, CustomStringConvertible {
    /// What it cost to make, and costs to check.
    package let cost: ScryptCost
    private let salt: [UInt8]
    private let hash: [UInt8]

    /// Hashes a password.
    ///
    /// Takes a while; call it from no event loop.
    package init(_ password: String, cost: ScryptCost, salt: [UInt8]) throws {
        self.cost = cost
        self.salt = salt
        hash = try Self.derive(password, cost: cost, salt: salt)
    }

    /// Creates a hash of no known password, which takes as long to check as that of a user.
    ///
    /// - Parameters:
    ///   - cost: The cost of a check.
    ///   - random: Returns random bytes of the given count.
    package init(ofNoPassword cost: ScryptCost, random: (Int) -> [UInt8]) {
        self.cost = cost
        salt = random(16)
        hash = random(32)
    }

    /// Reads what `description` wrote; nil for anything else.
    package init?(_ text: String) {
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

    /// Whether it is this password's.
    ///
    /// Takes a while, as long for a wrong one; call it from no event loop.
    package func matches(_ password: String) throws -> Bool {
        let other = try Self.derive(password, cost: cost, salt: salt)
        return zip(hash, other).reduce(UInt8.zero) { $0 | ($1.0 ^ $1.1) } == 0 && hash.count == other.count
    }

    package var description: String {
        let numbers = "ln=\(cost.logRounds),r=\(cost.blockSize),p=\(cost.parallelism)"
        return "$scrypt$\(numbers)$\(Data(salt).base64EncodedString())$\(Data(hash).base64EncodedString())"
    }

    private static func derive(_ password: String, cost: ScryptCost, salt: [UInt8]) throws -> [UInt8] {
        // The same characters are the same password, however a keyboard composes them.
        // No password is empty, and the library takes the address of the first byte.
        let bytes = password.isEmpty ? [0] : Array(password.precomposedStringWithCanonicalMapping.utf8)
        let key = try KDF.Scrypt.deriveKey(
            from: bytes, salt: salt, outputByteCount: 32, rounds: 1 << cost.logRounds, blockSize: cost.blockSize,
            parallelism: cost.parallelism)
        // Unsafe memory: the key's bytes are copied while they are borrowed.
        return key.withUnsafeBytes { Array($0) }
    }
}
