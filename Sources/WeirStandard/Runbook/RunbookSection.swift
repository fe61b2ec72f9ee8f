/// A section of a runbook, under a heading or between two lists.
package struct RunbookSection: Codable, Equatable, Sendable {
    package let heading: String?
    /// From 1 to 6.
    package let level: Int
    /// The notes before the steps.
    package var notes: [RunbookNote]
    /// The steps in file order; nested steps follow their parent with a larger depth.
    package var steps: [RunbookStep]
    /// Whether it holds the steps removed from the file.
    package let isGone: Bool

    package init(
        _ heading: String?, level: Int = 2, notes: [RunbookNote] = [], steps: [RunbookStep] = [], isGone: Bool = false
    ) {
        self.heading = heading
        self.level = min(max(level, 1), 6)
        self.notes = notes
        self.steps = steps
        self.isGone = isGone
    }

    /// Decodes a section and validates the heading level, because states can be imported.
    package init(from decoder: any Decoder) throws {
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
package struct RunbookNote: Codable, Hashable, Sendable {
    /// The Markdown of the block, without its indentation.
    package let markdown: String
    package let spans: [RunbookSpan]
    /// Whether its lines and spaces are kept: code, or a table.
    package let isCode: Bool
    package let isItem: Bool

    package init(markdown: String, spans: [RunbookSpan], isCode: Bool = false, isItem: Bool = false) {
        self.markdown = markdown
        self.spans = spans
        self.isCode = isCode
        self.isItem = isItem
    }
}

/// A piece of a runbook's text in one style.
package struct RunbookSpan: Codable, Hashable, Sendable {
    /// The text without Markdown syntax; a line break is a line feed.
    package let text: String
    package let code: Bool
    package var strong: Bool
    package var struck: Bool
    /// The target of a link: an `http`, `https` or `mailto` URL; other schemes are dropped.
    package let link: String?

    package init(
        _ text: String, code: Bool = false, strong: Bool = false, struck: Bool = false, link: String? = nil
    ) {
        self.text = text
        self.code = code
        self.strong = strong
        self.struck = struck
        self.link = link.flatMap(Self.safe)
    }

    package init(from decoder: any Decoder) throws {
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
