/// A block of a runbook that is no step: a paragraph, a list, a quotation, or code.
public struct RunbookNote: Codable, Hashable, Sendable {
    /// The block as the file has it, without the indentation it stood in.
    public let markdown: String
    /// How it reads.
    public let spans: [RunbookSpan]
    /// Whether it is a block of code.
    public let isCode: Bool
    /// Whether it is one item of a list.
    public let isItem: Bool

    /// Makes a block.
    public init(markdown: String, spans: [RunbookSpan], isCode: Bool = false, isItem: Bool = false) {
        self.markdown = markdown
        self.spans = spans
        self.isCode = isCode
        self.isItem = isItem
    }
}
