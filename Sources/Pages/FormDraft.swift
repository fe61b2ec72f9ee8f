public import Boards
public import Journals
import States

/// A start form as somebody filled it in: what was typed and what is wrong with it.
public struct FormDraft: Sendable, Hashable {
    /// What was typed, by field.
    public var values: [String: String]
    /// What is wrong, by field; a mistake of no field of the form is shown above it.
    public var errors: [BoardError.FieldError]
    /// What is wrong with the whole, in a sentence.
    public var message: String?

    /// Makes a draft of its parts.
    public init(values: [String: String] = [:], errors: [BoardError.FieldError] = [], message: String? = nil) {
        self.values = values
        self.errors = errors
        self.message = message
    }

    /// The form filled in with what a run was started with, to start again with other input.
    public init(startingAgain run: RunRecord) {
        var values: [String: String] = [:]
        for (name, value) in run.opening.input.object ?? [:] {
            switch value {
            case .string(let text): values[name] = text
            case .integer(let number): values[name] = String(number)
            case .number(let number): values[name] = String(number)
            case .bool(let flag): values[name] = flag ? "true" : "false"
            case .null, .array, .object: break
            }
        }
        self.init(values: values)
    }
}
