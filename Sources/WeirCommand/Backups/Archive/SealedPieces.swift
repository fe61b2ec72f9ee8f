import Crypto
import Foundation
import WeirAccess
import WeirStates

/// The content of a key file: a passphrase or random bytes.
struct BackupKey: Sendable {
    private static let bytes = 16...1_024

    private let secret: [UInt8]

    /// Reads a key file, without the line feed at its end; throws `StartError` if it is not usable.
    init(file: String) throws(StartError) {
        let text: Data
        do {
            text = try RegularFile.bytes(of: file, limit: Self.bytes.upperBound + 1)
        } catch {
            throw .missing("The key file \(file) cannot be read. It is a file with 16 to 1024 bytes.")
        }
        secret = Array(text.last == UInt8(ascii: "\n") ? text.dropLast() : text)
        guard Self.bytes.contains(secret.count) else {
            throw .misconfigured(
                "The key file \(file) has \(secret.count) bytes; it must have 16 to 1024. "
                    + "Make one: openssl rand -base64 32 > \(file)")
        }
    }

    /// Derives the key of one backup and a value that recognizes the key; slow by design.
    fileprivate func derive(_ salt: [UInt8]) throws -> (key: SymmetricKey, check: [UInt8]) {
        let material = SymmetricKey(data: try ScryptCost.standard.derive(secret, salt: salt))
        func part(_ purpose: String) -> SymmetricKey {
            HKDF<SHA256>.deriveKey(
                inputKeyMaterial: material, salt: salt, info: Array("weir backup 1 \(purpose)".utf8),
                outputByteCount: 32)
        }
        // Unsafe memory: the bytes are copied while they are borrowed.
        return (part("key"), part("check").withUnsafeBytes { Array($0.prefix(SealedPieces.checkBytes)) })
    }
}

/// Encrypts or decrypts the pieces of a backup with ChaCha20-Poly1305.
///
/// The file begins with eight letters, a random salt and the value that recognizes the key. Pieces of 64 KiB follow, each
/// with its tag. The nonce is the number of the piece, and whether it is the last one, so that no piece can be left out,
/// repeated or moved. The key is derived by scrypt, and its salt is new in each file.
struct SealedPieces {
    static let title = Array("WEIRBAK1".utf8)
    static let pieceBytes = 65_536
    static let sealedBytes = pieceBytes + tagBytes
    static let headerBytes = title.count + saltBytes + checkBytes
    static let checkBytes = 16
    private static let saltBytes = 16
    private static let tagBytes = 16

    struct Damaged: Error {}

    let header: [UInt8]
    private let key: SymmetricKey
    private var number: UInt64 = 0

    /// Begins a file with a new salt.
    init(sealing key: BackupKey) throws {
        let salt = SecretText.random(Self.saltBytes)
        let (derived, check) = try key.derive(salt)
        self.key = derived
        header = Self.title + salt + check
    }

    /// Opens a file with its header; throws `StartError` if the key is another one.
    init(opening header: [UInt8], _ key: BackupKey) throws {
        let salt = Array(header.dropFirst(Self.title.count).prefix(Self.saltBytes))
        let (derived, check) = try key.derive(salt)
        guard header == Self.title + salt + check else {
            throw StartError.malformed("The key is not the one that the backup was encrypted with.")
        }
        self.key = derived
        self.header = header
    }

    mutating func seal(_ piece: [UInt8], isLast: Bool) throws -> [UInt8] {
        let box = try ChaChaPoly.seal(piece, using: key, nonce: try nonce(isLast))
        return Array(box.ciphertext + box.tag)
    }

    /// Decrypts a piece; throws ``Damaged`` if it is not the next one, was changed, or is not the last one as expected.
    mutating func open(_ sealed: [UInt8], isLast: Bool) throws -> [UInt8] {
        guard sealed.count >= Self.tagBytes else { throw Damaged() }
        do {
            let box = try ChaChaPoly.SealedBox(
                nonce: try nonce(isLast), ciphertext: sealed.dropLast(Self.tagBytes),
                tag: sealed.suffix(Self.tagBytes))
            return Array(try ChaChaPoly.open(box, using: key))
        } catch {
            throw Damaged()
        }
    }

    private mutating func nonce(_ isLast: Bool) throws -> ChaChaPoly.Nonce {
        defer { number &+= 1 }
        let digits = (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * UInt64(clamping: $0))) }
        return try ChaChaPoly.Nonce(data: [0, 0, 0] + digits + [isLast ? 1 : 0])
    }
}
