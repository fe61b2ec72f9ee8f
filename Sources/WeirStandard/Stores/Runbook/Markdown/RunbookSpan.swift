/// A piece of a runbook's text in one style.
package struct RunbookSpan: Codable, Hashable, Sendable {
    /// The text without Markdown's marks; a line break is a line feed.
    package let text: String
    /// Whether it is code.
    package let code: Bool
    /// Whether it is strong.
    package let strong: Bool
    /// The target of a link: an `http`, `https` or `mailto` address.
    ///
    /// Any other is left out, wherever it comes from.
    package let link: String?

    /// Creates a piece.
    package init(_ text: String, code: Bool = false, strong: Bool = false, link: String? = nil) {
        self.text = text
        self.code = code
        self.strong = strong
        self.link = link.flatMap(Self.safe)
    }

    /// Decodes a piece.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try container.decode(String.self, forKey: .text), code: try container.decode(Bool.self, forKey: .code),
            strong: try container.decode(Bool.self, forKey: .strong),
            link: try container.decodeIfPresent(String.self, forKey: .link))
    }

    private static func safe(_ address: String) -> String? {
        guard let colon = address.firstIndex(of: ":") else { return nil }
        return ["http", "https", "mailto"].contains(address[..<colon].lowercased()) ? address : nil
    }
}
