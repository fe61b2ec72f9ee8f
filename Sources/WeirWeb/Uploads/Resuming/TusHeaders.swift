import Crypto
import Foundation
import HTTPTypes
import NIOCore
import WeirOperations

/// The value of `Upload-Checksum` (tus 1.0): an algorithm and a Base64 digest of the bytes of one request.
struct UploadChecksum: Sendable {
    enum Algorithm: String, Sendable, CaseIterable { case sha1, sha256 }

    enum Mistake: Error { case malformed, unknownAlgorithm }

    /// The value of `Tus-Checksum-Algorithm`.
    static let algorithms = Algorithm.allCases.map(\.rawValue).joined(separator: ",")

    let algorithm: Algorithm
    let digest: Data

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

/// The bytes of a request with a checksum, in a temporary file until all have arrived and the checksum is verified.
///
/// Until then they are not part of the upload, which its run reads as it grows, and do not survive a restart.
struct CheckedPart {
    private enum Hash {
        case sha1(Insecure.SHA1)
        case sha256(SHA256)
    }

    private static let pieceSize = 256 << 10

    private let digest: Data
    private let file: SpooledFile
    private var hash: Hash

    init(_ checksum: UploadChecksum, in folder: URL) throws {
        digest = checksum.digest
        file = try SpooledFile(in: folder)
        hash =
            switch checksum.algorithm {
            case .sha1: .sha1(Insecure.SHA1())
            case .sha256: .sha256(SHA256())
            }
    }

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

    /// Whether the appended bytes have the expected digest.
    var isRight: Bool {
        switch hash {
        case .sha1(let sha1): Data(sha1.finalize()) == digest
        case .sha256(let sha256): Data(sha256.finalize()) == digest
        }
    }

    /// Returns a function that reads the bytes piece by piece, from the beginning.
    func pieces() throws -> () throws -> ByteBuffer? { try file.pieces(of: Self.pieceSize) }
}

/// The value of `Upload-Metadata` (tus 1.0): comma-separated pairs of a key and a Base64 value.
struct UploadMetadata: Equatable {
    static let limit = 8_192

    let values: [String: String]

    /// Parses a header; returns nil if it is malformed, too long, repeats a key, or contains a value that is not UTF-8.
    init?(_ header: String) {
        guard header.utf8.count <= Self.limit else { return nil }
        var values: [String: String] = [:]
        // Splits scalars: a combining mark after a comma makes another character of it.
        for pair in header.unicodeScalars.split(separator: ",", omittingEmptySubsequences: true) {
            let parts = pair.split(separator: " ", omittingEmptySubsequences: true)
            guard let key = parts.first.map({ String($0) }), (1...2).contains(parts.count), values[key] == nil,
                let bytes = Data(base64Encoded: parts.count == 2 ? String(parts[1]) : ""),
                let value = String(validating: bytes, as: UTF8.self)
            else { return nil }
            values[key] = value
        }
        self.values = values
    }
}

extension Problem {
    static let unknownUpload = notFound(.unknownUpload)

    static let uploadOver = Problem(
        "upload-over", .gone, "Upload over",
        .uploadOver, closes: true)

    static let uploadBusy = Problem(
        "upload-busy", HTTPResponse.Status(code: 423, reasonPhrase: "Locked"), "Upload busy",
        .uploadBusy, headers: [.retryAfter: "1"], closes: true)

    static let uploadNotStored = Problem(
        "upload-not-stored", HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage"), "Not stored",
        .uploadNotStored,
        closes: true)

    static func checksumMismatch(offset: Int64) -> Problem {
        Problem(
            "checksum-mismatch", HTTPResponse.Status(code: 460, reasonPhrase: "Checksum Mismatch"), "Checksum mismatch",
            "The bytes that arrived are not those of Upload-Checksum, and none of them is kept. Send them again.",
            headers: [.uploadOffset: String(offset)])
    }

    static let tooManyUploads = Problem(
        "limit-reached", .tooManyRequests, "Limit reached",
        .tooManyUploads,
        headers: [.retryAfter: "60"], closes: true)

    static let noFileTaken = Problem(
        "no-file", .conflict, "No file", .noFileTaken, closes: true)

    static let uploadTooLong = Problem(
        "too-large", .contentTooLarge, "Too large",
        .uploadTooLong, closes: true)

    static let runJoined = Problem(
        "busy", .conflict, "Busy", .runJoined,
        closes: true)

    init(_ refusal: ResumableFile.Refusal) {
        switch refusal {
        case .elsewhere(let offset): self = .uploadElsewhere(offset)
        case .busy: self = .uploadBusy
        case .gone: self = .uploadOver
        case .unwritten: self = .uploadNotStored
        }
    }

    static func uploadElsewhere(_ offset: Int64) -> Problem {
        Problem(
            "upload-offset", .conflict, "Other offset",
            "\(offset) bytes of this upload have arrived. Continue from there: ask for Upload-Offset with HEAD.",
            headers: [.uploadOffset: String(offset)], closes: true)
    }

    static let protocolVersion = Problem(
        "protocol-version", .preconditionFailed, "Other version",
        "Uploads are continued by version 1.0.0 of the tus protocol. Send “Tus-Resumable: 1.0.0”.",
        headers: [.tusVersion: "1.0.0"], closes: true)

    static func malformedUpload(_ field: String, _ detail: String) -> Problem {
        Problem(
            "malformed-header", .badRequest, "Malformed header", "\(field) \(detail)",
            errors: [.init(field: field, detail: detail)], closes: true)
    }
}

extension HTTPField.Name {
    // Fields of the tus protocol, version 1.0.
    static let tusResumable = known("Tus-Resumable")
    static let tusVersion = known("Tus-Version")
    static let tusExtension = known("Tus-Extension")
    static let tusMaxSize = known("Tus-Max-Size")
    static let tusChecksumAlgorithm = known("Tus-Checksum-Algorithm")
    static let uploadChecksum = known("Upload-Checksum")
    static let uploadOffset = known("Upload-Offset")
    static let uploadMetadata = known("Upload-Metadata")
    static let uploadDeferLength = known("Upload-Defer-Length")
    static let uploadExpires = known("Upload-Expires")
}
