/// Each id is given to one element only.
public struct UniqueIDs: MarkupRule {
    /// `unique-ids`.
    public var name: String { "unique-ids" }

    /// Makes the rule.
    public init() {}

    /// The elements whose id an earlier one has, or whose id is empty or has spaces.
    public func problems(in document: MarkupDocument) throws -> [MarkupProblem] {
        try document.elements("//*[@id]").compactMap { element in
            let id = element["id"] ?? ""
            if id.isEmpty || id.contains(where: \.isWhitespace) {
                return element.problem("The id \"\(id)\" is empty or has spaces.", of: self)
            }
            guard let first = document.elementsByID[id], first.node != element.node else { return nil }
            return element.problem(
                "The id \"\(id)\" is that of <\(first.name)> on line \(first.line) already.", of: self)
        }
    }
}
