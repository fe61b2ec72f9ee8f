/// One header field of an HTTP answer.
public struct HeaderField: Codable, Hashable, Sendable {
    /// The name as the server wrote it.
    public let name: String
    /// The value.
    public let value: String

    /// Makes a field.
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}
