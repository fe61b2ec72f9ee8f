/// What is wrong with one field of an input, and what would be right.
public struct InputMistake: Sendable, Hashable, Codable {
    /// The field's name; empty where the input as a whole is wrong.
    ///
    /// Of a field nobody knows, cut to 64 characters.
    public let field: String
    /// A sentence or two for the person who gave the input.
    ///
    /// What was given is quoted in it, cut short.
    public let detail: String

    /// Makes a mistake of its parts.
    public init(field: String, detail: String) {
        self.field = field
        self.detail = detail
    }
}
