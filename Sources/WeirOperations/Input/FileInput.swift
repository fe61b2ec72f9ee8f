public import Foundation

/// A file given to an operation: what the journal keeps of it, and, in the run it came with, its bytes.
///
/// Decoding picks the bytes up from `decoder.userInfo[.fileContent]`; an input that comes out of the journal, as that of a
/// retry, has none, and the operation finds what it kept under `id`.
public struct FileInput: Codable, Sendable {
    /// Names the file for as long as an operation keeps a copy of it: letters, digits and hyphens.
    public let id: String
    /// The name the sender gave, without any folder; never used as a path.
    public let filename: String
    /// The length in bytes that the sender announced, if any.
    public let length: Int64?
    /// The media type that the sender announced, if any.
    public let contentType: String?
    /// The bytes, readable once; nil where only the journal's words are left.
    public let content: (any FileContent)?

    private enum CodingKeys: String, CodingKey { case id, filename, length, contentType }

    /// Creates a file input.
    public init(
        id: String, filename: String, length: Int64? = nil, contentType: String? = nil,
        content: (any FileContent)? = nil
    ) {
        self.id = id
        self.filename = filename
        self.length = length
        self.contentType = contentType
        self.content = content
    }

    /// Reads what the journal kept, with the bytes of the request at hand, if there are any.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(String.self, forKey: .id)
        filename = try container.decode(String.self, forKey: .filename)
        length = try container.decodeIfPresent(Int64.self, forKey: .length)
        contentType = try container.decodeIfPresent(String.self, forKey: .contentType)
        content = decoder.userInfo[.fileContent] as? any FileContent
    }

    /// Writes all but the bytes.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(filename, forKey: .filename)
        try container.encodeIfPresent(length, forKey: .length)
        try container.encodeIfPresent(contentType, forKey: .contentType)
    }
}

extension CodingUserInfoKey {
    /// Where a decoder finds the bytes of the file that came with the request.
    package static var fileContent: CodingUserInfoKey {
        // Never traps: Foundation makes a key of any text.
        CodingUserInfoKey(rawValue: "weir.fileContent").unsafelyUnwrapped
    }
}

/// The bytes of a file as they arrive, in pieces of a size that fits memory.
public protocol FileContent: Sendable {
    /// The next piece, or nil at the end.
    ///
    /// Suspends until bytes arrive, and thereby holds the sender back. Throws when the sender stopped halfway or sent
    /// something malformed, and `CancellationError` when the task is cancelled. One reader only.
    func next() async throws -> Data?
}
