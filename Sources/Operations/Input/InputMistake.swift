public import States

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
    package init(field: String, detail: String) {
        self.field = field
        self.detail = detail
    }
}

/// All that is wrong with an input: at most one mistake of each field, in the order of the fields.
public struct InputMistakes: ExplainedError, Sendable, Hashable {
    /// The mistakes, at least one.
    public let mistakes: [InputMistake]

    /// Makes an error of mistakes.
    package init(_ mistakes: [InputMistake]) { self.mistakes = mistakes }

    /// The mistakes, a line each.
    public var description: String {
        mistakes.map { $0.field.isEmpty ? $0.detail : "\($0.field): \($0.detail)" }.joined(separator: "\n")
    }
}

/// Why one value does not fit its field.
struct InputRejection: Error {
    let detail: String

    init(_ detail: String) { self.detail = detail }
}
