import WeirJournals

struct RunbookStep: Codable, Equatable, Identifiable, Sendable {
    /// An id derived from the text when the step was first read, kept when the file is edited.
    var id: String
    /// The Markdown of the step, on one line.
    let markdown: String
    let spans: [RunbookSpan]
    /// The nesting depth, from 0 to 200.
    let depth: Int
    var notes: [RunbookNote]
    /// The number in a numbered list, from 0 to 999; nil in a list without numbers.
    let number: Int?
    /// Whether it was ticked when the file was last read.
    var isTickedInFile: Bool
    /// Whether it is done or skipped; nil while it is open.
    var mark: RunbookMark?
    var assignee: String?
    /// The comments, oldest first.
    var comments: [RunbookComment] = []
    /// The people to notify when it is done or skipped, in the order of their requests.
    var waiting: [String] = []

    static let deepest = 200

    init(
        id: String, markdown: String, spans: [RunbookSpan], depth: Int = 0, notes: [RunbookNote] = [],
        number: Int? = nil, isTickedInFile: Bool = false
    ) {
        self.id = id
        self.markdown = markdown
        self.spans = spans
        self.depth = min(max(depth, 0), Self.deepest)
        self.notes = notes
        self.number = number.flatMap { (0...999).contains($0) ? $0 : nil }
        self.isTickedInFile = isTickedInFile
    }

    /// Decodes a step and validates its depth, because states can be imported.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(String.self, forKey: .id)
        markdown = try container.decode(String.self, forKey: .markdown)
        spans = try container.decode([RunbookSpan].self, forKey: .spans)
        depth = try container.decode(Int.self, forKey: .depth)
        notes = try container.decode([RunbookNote].self, forKey: .notes)
        number = try container.decodeIfPresent(Int.self, forKey: .number).flatMap { (0...999).contains($0) ? $0 : nil }
        isTickedInFile = try container.decode(Bool.self, forKey: .isTickedInFile)
        mark = try container.decodeIfPresent(RunbookMark.self, forKey: .mark)
        assignee = try container.decodeIfPresent(String.self, forKey: .assignee)
        comments = try container.decode([RunbookComment].self, forKey: .comments)
        waiting = try container.decode([String].self, forKey: .waiting)
        guard (0...Self.deepest).contains(depth) else {
            throw DecodingError.dataCorruptedError(
                forKey: .depth, in: container, debugDescription: "must be from 0 to \(Self.deepest)")
        }
    }

    /// The text without Markdown syntax.
    var text: String { spans.map(\.text).joined() }

    /// Whether it has history that must not be lost.
    var isTouched: Bool { mark?.signed != nil || assignee != nil || !comments.isEmpty }
}

struct RunbookComment: Codable, Hashable, Sendable {
    /// The comment, on one line.
    let text: String
    let signed: Signature?

    init(_ text: String, signed: Signature?) {
        self.text = text
        self.signed = signed
    }
}

/// The completion of a step.
enum RunbookMark: Codable, Hashable, Sendable {
    /// Done; unsigned if ticked in the file.
    case done(signed: Signature?)
    case skipped(reason: String, signed: Signature?)

    var signed: Signature? {
        switch self {
        case .done(let signed), .skipped(_, let signed): signed
        }
    }
}

/// The actor and time of an action.
package struct Signature: Codable, Hashable, Sendable {
    let by: String
    let at: Timestamp
}
