public import WeirStates

/// What is wrong with one field of an input, and what would be right.
public struct InputMistake: Sendable, Hashable, Codable {
    /// The field's name; empty where the input as a whole is wrong.
    ///
    /// Of a field nobody knows, cut to 64 characters.
    public let field: String
    /// The same sentences for whoever reads another language.
    package let message: Message

    /// A sentence or two for the person who gave the input, in English.
    ///
    /// What was given is quoted in it, cut short.
    public var detail: String { message.description }

    /// Whether the same value can be right in a moment.
    package var isPassing: Bool { message == Message(InputWording.choicePending) }

    /// Makes a mistake of its parts.
    package init(field: String, message: Message) {
        self.field = field
        self.message = message
    }

    /// Makes a mistake whose words are the same in every language.
    package init(field: String, detail: String) { self.init(field: field, message: Message(verbatim: detail)) }

    private enum CodingKeys: String, CodingKey {
        case field
        case message = "detail"
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
    let message: Message

    init(_ message: Message) { self.message = message }

    init(_ wording: InputWording, _ values: [String: Message.Value] = [:]) {
        self.init(Message(wording, values))
    }
}
