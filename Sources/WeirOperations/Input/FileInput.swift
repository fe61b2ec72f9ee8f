public import Foundation
import WeirStates

/// A file passed to an operation: its metadata, which is recorded, and in the original run its content.
///
/// Decoding takes the content from `decoder.userInfo[.fileContent]`. An input from the journal, such as that of a retry, has no
/// content; the operation finds its own copy under `id`.
public struct FileInput: Codable, Sendable {
    /// Identifies the file for as long as an operation keeps a copy: letters, digits and hyphens.
    public let id: String
    /// The filename sent by the client, without folders; never used as a path.
    public let filename: String
    /// The length in bytes announced by the client.
    public let length: Int64?
    /// The media type announced by the client.
    public let contentType: String?
    /// The content, readable once; nil for an input from the journal.
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

    /// Decodes the recorded metadata, with the content of the current request if there is one.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(String.self, forKey: .id)
        filename = try container.decode(String.self, forKey: .filename)
        length = try container.decodeIfPresent(Int64.self, forKey: .length)
        contentType = try container.decodeIfPresent(String.self, forKey: .contentType)
        content = decoder.userInfo[.fileContent] as? any FileContent
    }

    /// Encodes everything except the content.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(filename, forKey: .filename)
        try container.encodeIfPresent(length, forKey: .length)
        try container.encodeIfPresent(contentType, forKey: .contentType)
    }
}

extension CodingUserInfoKey {
    /// The key of the file content of the current request.
    package static var fileContent: CodingUserInfoKey {
        // Never traps: Foundation makes a key of any text.
        CodingUserInfoKey(rawValue: "weir.fileContent").unsafelyUnwrapped
    }
}

/// The content of a file, received in chunks that fit in memory.
public protocol FileContent: Sendable {
    /// Returns the next chunk, or nil at the end.
    ///
    /// Suspends until bytes arrive, which applies backpressure to the sender. Throws if the upload is incomplete or malformed,
    /// and `CancellationError` if the task is cancelled. Supports a single reader.
    func next() async throws -> Data?
}

extension InputField {
    /// Validates the metadata of an uploaded file.
    func file(_ value: JSONValue) throws(InputRejection) -> JSONValue {
        guard case .object(let members) = value else {
            throw InputRejection(.fileElsewhere)
        }
        var described: [String: JSONValue] = [:]
        for (name, member) in members where member != .null {
            guard accepts(member, as: name) else {
                throw InputRejection(.fileWrong, ["name": "\(Self.shortened(name))"])
            }
            described[name] = member
        }
        guard described["id"] != nil, described["filename"] != nil else {
            throw InputRejection(.fileUnnamed)
        }
        return .object(described)
    }

    private func accepts(_ member: JSONValue, as name: String) -> Bool {
        switch name {
        case "id": member.string.map(Self.isFileID) ?? false
        case "filename": member.string.map(Self.isFileName) ?? false
        case "length": member.integer.map { $0 >= 0 } ?? false
        case "contentType": member.string.map { $0.utf8.count <= 255 } ?? false
        default: false
        }
    }

    private static func isFileID(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    private static func isFileName(_ text: String) -> Bool {
        (1...1_020).contains(text.utf8.count) && text != "." && text != ".."
            && !text.unicodeScalars.contains { $0 == "/" || $0 == "\\" || $0.value < 0x20 || $0.value == 0x7F }
    }
}
