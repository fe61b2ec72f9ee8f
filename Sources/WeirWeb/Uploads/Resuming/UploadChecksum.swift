import Crypto
import Foundation
import NIOCore

/// What `Upload-Checksum` says of the bytes of one request (tus 1.0): an algorithm, and their digest in Base64.
struct UploadChecksum: Sendable {
    /// An algorithm that is supported.
    enum Algorithm: String, Sendable, CaseIterable { case sha1, sha256 }

    /// Why a header is refused.
    enum Mistake: Error { case malformed, unknownAlgorithm }

    /// The names of all algorithms, as `Tus-Checksum-Algorithm` lists them.
    static let algorithms = Algorithm.allCases.map(\.rawValue).joined(separator: ",")

    /// How the digest is made.
    let algorithm: Algorithm
    /// The digest that the bytes must have.
    let digest: Data

    /// Reads a header: `sha1 Kq5sNclPz7QV2+lfQIuc6R7oRu0=`.
    init(_ header: String) throws(Mistake) {
        let parts = header.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty else { throw .malformed }
        guard let algorithm = Algorithm(rawValue: String(parts[0])) else { throw .unknownAlgorithm }
        let length =
            switch algorithm {
            case .sha1: Insecure.SHA1.byteCount
            case .sha256: SHA256.byteCount
            }
        guard let digest = Data(base64Encoded: String(parts[1])), digest.count == length else { throw .malformed }
        self.algorithm = algorithm
        self.digest = digest
    }
}

/// The bytes of a request with a checksum: kept in a file of their own until all have come and the checksum is theirs.
///
/// Until then they are no part of the upload, which its run reads as it grows, and a restart finds nothing of them.
struct CheckedPart {
    private enum Hash {
        case sha1(Insecure.SHA1)
        case sha256(SHA256)
    }

    private static let pieceSize = 256 << 10

    private let digest: Data
    private let file: SpooledFile
    private var hash: Hash

    /// Keeps the bytes in a folder.
    init(_ checksum: UploadChecksum, in folder: URL) throws {
        digest = checksum.digest
        file = try SpooledFile(in: folder)
        hash =
            switch checksum.algorithm {
            case .sha1: .sha1(Insecure.SHA1())
            case .sha256: .sha256(SHA256())
            }
    }

    /// Adds what has come.
    mutating func append(_ bytes: ByteBuffer) throws {
        switch hash {
        case .sha1(var sha1):
            sha1.update(data: Data(bytes.readableBytesView))
            hash = .sha1(sha1)
        case .sha256(var sha256):
            sha256.update(data: Data(bytes.readableBytesView))
            hash = .sha256(sha256)
        }
        try file.append(bytes)
    }

    /// Whether what has come has the digest that was announced.
    var isRight: Bool {
        switch hash {
        case .sha1(let sha1): Data(sha1.finalize()) == digest
        case .sha256(let sha256): Data(sha256.finalize()) == digest
        }
    }

    /// Reads it piece by piece, from the beginning.
    func pieces() throws -> () throws -> ByteBuffer? { try file.pieces(of: Self.pieceSize) }
}
