/// A page has at most one main part.
package struct SingleMain: MarkupRule {
    /// `single-main`.
    package var name: String { "single-main" }

    /// Makes the rule.
    package init() {}

    /// Every visible `main` after the first.
    package func problems(in document: MarkupDocument) throws -> [MarkupProblem] {
        try document.elements("//*[self::main or @role='main'][not(@hidden)]").dropFirst().map { element in
            element.problem("This is a second main part. A page has one, apart from hidden ones.", of: self)
        }
    }
}
