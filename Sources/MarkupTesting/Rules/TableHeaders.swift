/// Every table has header cells, unless it says that it is only for layout.
public struct TableHeaders: MarkupRule {
    /// `table-headers`.
    public var name: String { "table-headers" }

    /// Makes the rule.
    public init() {}

    /// The tables without a `th`.
    public func problems(in document: MarkupDocument) throws -> [MarkupProblem] {
        try document.elements("//table[not(.//th) and not(@role='presentation' or @role='none')]").map { element in
            element.problem("<table> has no header cells. Use <th scope=\"col\"> or <th scope=\"row\">.", of: self)
        }
    }
}
