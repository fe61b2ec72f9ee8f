package import WeirJournals

/// One step, and what happened to it.
package struct RunbookStep: Codable, Equatable, Identifiable, Sendable {
    /// An id derived from the text when the step was first read; it stays when the file is edited around it.
    package var id: String
    /// The Markdown of the step, on one line.
    package let markdown: String
    /// The text of the step.
    package let spans: [RunbookSpan]
    /// The nesting depth; 0 for an outermost step, at most 200.
    package let depth: Int
    /// The notes below it in the file.
    package var notes: [RunbookNote]
    /// Whether it is ticked in the file, as last read.
    package var isTickedInFile: Bool
    /// Whether it is done or skipped; nil while it is open.
    package var mark: RunbookMark?
    /// Who will do it.
    package var assignee: String?
    /// The comments on it, oldest first.
    package var comments: [RunbookComment] = []
    /// Who receives a message when it is done or skipped, in the order of their requests.
    package var waiting: [String] = []

    /// The maximum depth of a step.
    static let deepest = 200

    /// Makes an open step.
    package init(
        id: String, markdown: String, spans: [RunbookSpan], depth: Int = 0, notes: [RunbookNote] = [],
        isTickedInFile: Bool = false
    ) {
        self.id = id
        self.markdown = markdown
        self.spans = spans
        self.depth = min(max(depth, 0), Self.deepest)
        self.notes = notes
        self.isTickedInFile = isTickedInFile
    }

    /// Decodes a step, and refuses an invalid depth, because states also come from outside.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(String.self, forKey: .id)
        markdown = try container.decode(String.self, forKey: .markdown)
        spans = try container.decode([RunbookSpan].self, forKey: .spans)
        depth = try container.decode(Int.self, forKey: .depth)
        notes = try container.decode([RunbookNote].self, forKey: .notes)
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

    /// The text without Markdown's marks.
    package var text: String { spans.map(\.text).joined() }

    /// Whether anybody left a mark on it that must not be lost.
    package var isTouched: Bool { mark?.signed != nil || assignee != nil || !comments.isEmpty }
}

/// A comment on a step.
package struct RunbookComment: Codable, Hashable, Sendable {
    /// The comment, on one line.
    package let text: String
    /// Who wrote it, and when.
    package let signed: Signature?

    /// Makes a comment.
    package init(_ text: String, signed: Signature?) {
        self.text = text
        self.signed = signed
    }
}

/// Why a step needs no more work: it is done, or it was skipped.
package enum RunbookMark: Codable, Hashable, Sendable {
    /// Done; unsigned if the file itself has it ticked.
    case done(signed: Signature?)
    /// Skipped, and why.
    case skipped(reason: String, signed: Signature?)

    /// Who set the mark, and when.
    package var signed: Signature? {
        switch self {
        case .done(let signed), .skipped(_, let signed): signed
        }
    }
}

/// Who did something, and when.
package struct Signature: Codable, Hashable, Sendable {
    /// The name of who did it.
    package let by: String
    /// When it was done.
    package let at: Timestamp

    /// Makes a signature.
    package init(by: String, at: Timestamp) {
        self.by = by
        self.at = at
    }
}
