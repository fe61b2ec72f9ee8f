/// Each id belongs to only one element.
package struct UniqueIDs: MarkupRule {
    /// `unique-ids`.
    package var name: String { "unique-ids" }

    /// Makes the rule.
    package init() {}

    /// The elements whose id is taken by an earlier one, is empty, or has spaces.
    package func problems(in document: MarkupDocument) throws -> [MarkupProblem] {
        try document.elements("//*[@id]").compactMap { element in
            let id = element["id"] ?? ""
            if id.isEmpty || id.contains(where: \.isWhitespace) {
                return element.problem("The id \"\(id)\" is empty or has spaces.", of: self)
            }
            guard let first = document.elementsByID[id], first.node != element.node else { return nil }
            return element.problem(
                "The id \"\(id)\" already belongs to <\(first.name)> on line \(first.line).", of: self)
        }
    }
}
