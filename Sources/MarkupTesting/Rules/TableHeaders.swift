/// Every table has header cells, unless it is marked as layout.
package struct TableHeaders: MarkupRule {
    /// `table-headers`.
    package var name: String { "table-headers" }

    /// Makes the rule.
    package init() {}

    /// The tables without a `th`.
    package func problems(in document: MarkupDocument) throws -> [MarkupProblem] {
        try document.elements("//table[not(.//th) and not(@role='presentation' or @role='none')]").map { element in
            element.problem("<table> has no header cells. Use <th scope=\"col\"> or <th scope=\"row\">.", of: self)
        }
    }
}
