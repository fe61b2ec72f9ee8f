/// A section of a runbook, under a heading or between two lists.
struct RunbookSection: Codable, Equatable, Sendable {
    let heading: String?
    /// From 1 to 6.
    let level: Int
    /// The notes before the steps.
    var notes: [RunbookNote]
    /// The steps in file order; nested steps follow their parent with a larger depth.
    var steps: [RunbookStep]
    /// Whether it holds the steps removed from the file.
    let isGone: Bool

    init(
        _ heading: String?, level: Int = 2, notes: [RunbookNote] = [], steps: [RunbookStep] = [], isGone: Bool = false
    ) {
        self.heading = heading
        self.level = min(max(level, 1), 6)
        self.notes = notes
        self.steps = steps
        self.isGone = isGone
    }

    /// Decodes a section and validates the heading level, because states can be imported.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        heading = try container.decodeIfPresent(String.self, forKey: .heading)
        level = try container.decode(Int.self, forKey: .level)
        notes = try container.decode([RunbookNote].self, forKey: .notes)
        steps = try container.decode([RunbookStep].self, forKey: .steps)
        isGone = try container.decode(Bool.self, forKey: .isGone)
        guard (1...6).contains(level) else {
            throw DecodingError.dataCorruptedError(
                forKey: .level, in: container, debugDescription: "must be from 1 to 6")
        }
    }
}

/// A block of a runbook other than a step: a paragraph, list, quotation or code.
struct RunbookNote: Codable, Hashable, Sendable {
    /// The Markdown of the block, without its indentation.
    let markdown: String
    let spans: [RunbookSpan]
    /// Whether its lines and spaces are kept: code, or a table.
    let isCode: Bool
    let isItem: Bool

    init(markdown: String, spans: [RunbookSpan], isCode: Bool = false, isItem: Bool = false) {
        self.markdown = markdown
        self.spans = spans
        self.isCode = isCode
        self.isItem = isItem
    }
}

/// A piece of a runbook's text in one style.
struct RunbookSpan: Codable, Hashable, Sendable {
    /// The text without Markdown syntax; a line break is a line feed.
    let text: String
    let code: Bool
    var strong: Bool
    var struck: Bool
    /// The target of a link: an `http`, `https` or `mailto` URL; other schemes are dropped.
    let link: String?

    init(
        _ text: String, code: Bool = false, strong: Bool = false, struck: Bool = false, link: String? = nil
    ) {
        self.text = text
        self.code = code
        self.strong = strong
        self.struck = struck
        self.link = link.flatMap(Self.safe)
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try container.decode(String.self, forKey: .text), code: try container.decode(Bool.self, forKey: .code),
            strong: try container.decode(Bool.self, forKey: .strong),
            struck: try container.decodeIfPresent(Bool.self, forKey: .struck) ?? false,
            link: try container.decodeIfPresent(String.self, forKey: .link))
    }

    private static func safe(_ address: String) -> String? {
        guard let colon = address.firstIndex(of: ":") else { return nil }
        return ["http", "https", "mailto"].contains(address[..<colon].lowercased()) ? address : nil
    }
}
