/// A rule for good pages, and how to find where a page breaks it.
///
/// Write your own as a small type, and pass it with the built-in ones: `Markup.check(html, as: .document, rules: .all +
/// [EveryFormHasToken()])`. Leave rules out with `.all.without("heading-order")`.
public protocol MarkupRule: Sendable {
    /// The name that problems carry, such as `unique-ids`.
    var name: String { get }

    /// Whether the rule does not apply to fragments, because it concerns a page as a whole.
    var isForDocumentsOnly: Bool { get }

    /// The places where the document breaks the rule, in any order.
    /// - Parameter document: The markup, well-formed.
    /// - Returns: One problem for each place.
    /// - Throws: Any error that prevents the check, such as an XPath expression that does not compile.
    func problems(in document: MarkupDocument) throws -> [MarkupProblem]
}

extension MarkupRule {
    /// Whether the rule does not apply to fragments: false by default.
    public var isForDocumentsOnly: Bool { false }
}
