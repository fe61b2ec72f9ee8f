import Foundation

/// What `Upload-Metadata` says (tus 1.0): pairs of a key and a value in Base64, with commas between them.
struct UploadMetadata: Equatable {
    /// The most bytes of the header.
    static let limit = 8_192

    /// The values by key.
    let values: [String: String]

    /// Reads a header; nil if it is malformed, too long, names a key twice, or holds what is not UTF-8.
    init?(_ header: String) {
        guard header.utf8.count <= Self.limit else { return nil }
        var values: [String: String] = [:]
        // By scalars: a mark that follows a comma joins it to another character.
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
