/// A block of a runbook that is not a step: a paragraph, a list, a quotation, or code.
package struct RunbookNote: Codable, Hashable, Sendable {
    /// The Markdown of the block, without its indentation.
    package let markdown: String
    /// Its text.
    package let spans: [RunbookSpan]
    /// Whether it is a block of code.
    package let isCode: Bool
    /// Whether it is one item of a list.
    package let isItem: Bool

    /// Makes a block.
    package init(markdown: String, spans: [RunbookSpan], isCode: Bool = false, isItem: Bool = false) {
        self.markdown = markdown
        self.spans = spans
        self.isCode = isCode
        self.isItem = isItem
    }
}
