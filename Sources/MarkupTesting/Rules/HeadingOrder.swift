/// Headings go down one level at a time, and a page's first one is `h1`.
package struct HeadingOrder: MarkupRule {
    /// `heading-order`.
    package var name: String { "heading-order" }

    /// Makes the rule.
    package init() {}

    /// The headings that skip a level; for a document also a first one that is not `h1`.
    package func problems(in document: MarkupDocument) throws -> [MarkupProblem] {
        var problems: [MarkupProblem] = []
        var last: Int? = document.kind == .document ? 0 : nil
        let headings = "//h1 | //h2 | //h3 | //h4 | //h5 | //h6 | //*[@role='heading']"
        for heading in try document.elements(headings) {
            let level = heading["aria-level"].flatMap { Int($0) } ?? Int(heading.name.dropFirst()) ?? 2
            if let last, level > last + 1 {
                let before = last == 0 ? "is the first of the page: it must be an h1" : "follows a level \(last)"
                problems.append(heading.problem("A heading of level \(level) \(before).", of: self))
            }
            last = level
        }
        return problems
    }
}
