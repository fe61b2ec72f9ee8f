/// One mistake in markup, and where it is.
public struct MarkupProblem: Sendable, Hashable, CustomStringConvertible {
    /// The line it is on, from 1.
    public var line: Int

    /// The character of that line at which it begins, from 1.
    public var column: Int

    /// What is wrong and what to do, as a sentence.
    public var sentence: String

    /// The name of the broken rule: `well-formed`, `schema`, or a ``MarkupRule``'s name.
    public var rule: String

    /// The source around the place, on one line; empty if there is none.
    public var excerpt: String

    /// Creates a problem, for rules of your own that do not concern a single element.
    /// - Parameters:
    ///   - line: The line, from 1.
    ///   - column: The character of the line, from 1.
    ///   - sentence: What is wrong and what to do.
    ///   - rule: The name of the broken rule.
    ///   - excerpt: The source around the place.
    package init(line: Int, column: Int, sentence: String, rule: String, excerpt: String = "") {
        self.line = line
        self.column = column
        self.sentence = sentence
        self.rule = rule
        self.excerpt = excerpt
    }

    /// The problem as `line:column: sentence (rule)`.
    public var description: String { "\(line):\(column): \(sentence) (\(rule))" }
}
