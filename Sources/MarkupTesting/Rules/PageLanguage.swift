/// A page says which language it is in.
public struct PageLanguage: MarkupRule {
    /// `page-language`.
    public var name: String { "page-language" }

    /// It is about the page as a whole.
    public var isForDocumentsOnly: Bool { true }

    /// Makes the rule.
    public init() {}

    /// The `html` element, if it has no `lang`.
    public func problems(in document: MarkupDocument) throws -> [MarkupProblem] {
        (document.root["lang"] ?? "").collapsed.isEmpty
            ? [document.root.problem("<html> has no language. Write lang=\"en\", or whichever it is.", of: self)] : []
    }
}
