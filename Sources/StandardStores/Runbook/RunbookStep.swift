/// One thing to do, and what became of it.
public struct RunbookStep: Codable, Equatable, Identifiable, Sendable {
    /// A name made of the text when the step was first read; it stays when the file is edited around it.
    public var id: String
    /// The text as the file has it, on one line.
    public let markdown: String
    /// How the text reads.
    public let spans: [RunbookSpan]
    /// How deep it lies among other steps; 0 for one that lies in none.
    public let depth: Int
    /// What the file says below it.
    public var notes: [RunbookNote]
    /// Whether the file, as last read, has it ticked.
    public var isTickedInFile: Bool
    /// Whether it is done or skipped; nil while it is open.
    public var mark: RunbookMark?
    /// Who is to do it.
    public var assignee: String?
    /// What was said about it, oldest first.
    public var comments: [RunbookComment] = []
    /// Who is told when it is done or skipped, in the order in which they asked.
    public var waiting: [String] = []

    /// Makes an open step.
    public init(
        id: String, markdown: String, spans: [RunbookSpan], depth: Int = 0, notes: [RunbookNote] = [],
        isTickedInFile: Bool = false
    ) {
        self.id = id
        self.markdown = markdown
        self.spans = spans
        self.depth = depth
        self.notes = notes
        self.isTickedInFile = isTickedInFile
    }

    /// The text without Markdown's marks.
    public var text: String { spans.map(\.text).joined() }

    /// Whether anybody left anything on it that must not be lost.
    public var isTouched: Bool { mark?.signed != nil || assignee != nil || !comments.isEmpty }
}
