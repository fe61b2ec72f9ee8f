/// A page declares its language.
package struct PageLanguage: MarkupRule {
    /// `page-language`.
    package var name: String { "page-language" }

    /// It is about the page as a whole.
    package var isForDocumentsOnly: Bool { true }

    /// Makes the rule.
    package init() {}

    /// The `html` element, if it has no `lang`.
    package func problems(in document: MarkupDocument) throws -> [MarkupProblem] {
        (document.root["lang"] ?? "").collapsed.isEmpty
            ? [document.root.problem("<html> has no language. Write lang=\"en\", or the actual language.", of: self)]
            : []
    }
}
