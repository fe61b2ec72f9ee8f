/// A page has a title.
public struct PageTitle: MarkupRule {
    /// `page-title`.
    public var name: String { "page-title" }

    /// It is about the page as a whole.
    public var isForDocumentsOnly: Bool { true }

    /// Makes the rule.
    public init() {}

    /// The page, if its head has no title with text.
    public func problems(in document: MarkupDocument) throws -> [MarkupProblem] {
        try document.elements("/html/head/title[normalize-space()]").isEmpty
            ? [document.root.problem("The page has no title. Write one into its <head>.", of: self)] : []
    }
}
