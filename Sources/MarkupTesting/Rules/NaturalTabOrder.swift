/// The tab key goes through the page in its order: no `tabindex` above 0.
package struct NaturalTabOrder: MarkupRule {
    /// `natural-tab-order`.
    package var name: String { "natural-tab-order" }

    /// Makes the rule.
    package init() {}

    /// The elements with a positive `tabindex`.
    package func problems(in document: MarkupDocument) throws -> [MarkupProblem] {
        try document.elements("//*[@tabindex > 0]").map { element in
            element.problem("tabindex above 0 breaks the order of the page. Use 0, or move the element.", of: self)
        }
    }
}
