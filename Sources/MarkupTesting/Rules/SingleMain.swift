/// A page has one main part at most.
public struct SingleMain: MarkupRule {
    /// `single-main`.
    public var name: String { "single-main" }

    /// Makes the rule.
    public init() {}

    /// Every visible `main` after the first.
    public func problems(in document: MarkupDocument) throws -> [MarkupProblem] {
        try document.elements("//*[self::main or @role='main'][not(@hidden)]").dropFirst().map { element in
            element.problem("This is a second main part. A page has one, apart from hidden ones.", of: self)
        }
    }
}
