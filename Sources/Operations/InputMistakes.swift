/// All that is wrong with an input: at most one mistake of each field, in the order of the fields.
public struct InputMistakes: Error, Sendable, Hashable, CustomStringConvertible {
    /// The mistakes, at least one.
    public let mistakes: [InputMistake]

    /// Makes an error of mistakes.
    public init(_ mistakes: [InputMistake]) { self.mistakes = mistakes }

    /// The mistakes, a line each.
    public var description: String {
        mistakes.map { $0.field.isEmpty ? $0.detail : "\($0.field): \($0.detail)" }.joined(separator: "\n")
    }
}
