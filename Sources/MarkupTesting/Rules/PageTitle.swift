/// A page has a title.
package struct PageTitle: MarkupRule {
    /// `page-title`.
    package var name: String { "page-title" }

    /// It is about the page as a whole.
    package var isForDocumentsOnly: Bool { true }

    /// Makes the rule.
    package init() {}

    /// The page, if its head has no title with text.
    package func problems(in document: MarkupDocument) throws -> [MarkupProblem] {
        try document.elements("/html/head/title[normalize-space()]").isEmpty
            ? [document.root.problem("The page has no title. Write one into its <head>.", of: self)] : []
    }
}
