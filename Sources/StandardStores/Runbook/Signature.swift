public import Journals

/// Who did something, and when.
public struct Signature: Codable, Hashable, Sendable {
    /// The name of who did it.
    public let by: String
    /// When it was done.
    public let at: Timestamp

    /// Makes a signature.
    public init(by: String, at: Timestamp) {
        self.by = by
        self.at = at
    }
}
