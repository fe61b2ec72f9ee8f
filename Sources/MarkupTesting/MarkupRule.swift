/// One thing that good pages do, and how to see that a page does not.
///
/// Write your own as a small type, and pass it beside the built-in ones: `Markup.check(html, as: .document,
/// rules: .all + [EveryFormHasToken()])`. Leave some out with ``Swift/Array/without(_:)``.
public protocol MarkupRule: Sendable {
    /// The name that problems carry, such as `unique-ids`.
    var name: String { get }

    /// Whether the rule says nothing about fragments, because it is about a page as a whole.
    var isForDocumentsOnly: Bool { get }

    /// The places where the document breaks the rule, in any order.
    /// - Parameter document: The markup, well-formed.
    /// - Returns: One problem for each place.
    /// - Throws: Whatever keeps the rule from being checked, such as an XPath expression that does not compile.
    func problems(in document: MarkupDocument) throws -> [MarkupProblem]
}

extension MarkupRule {
    /// Whether the rule says nothing about fragments: no, unless the rule says otherwise.
    public var isForDocumentsOnly: Bool { false }
}
