/// A piece of a runbook's text that is written in one way.
public struct RunbookSpan: Codable, Hashable, Sendable {
    /// The piece as it reads, without Markdown's marks; a line break is a line feed.
    public let text: String
    /// Whether it is something to type or to look for.
    public let code: Bool
    /// Whether it is stressed.
    public let strong: Bool
    /// Where it leads: an `http`, `https` or `mailto` address; any other is left out, wherever it comes from.
    public let link: String?

    /// Makes a piece.
    public init(_ text: String, code: Bool = false, strong: Bool = false, link: String? = nil) {
        self.text = text
        self.code = code
        self.strong = strong
        self.link = link.flatMap(Self.safe)
    }

    /// Reads a piece.
    public init(from decoder: any Decoder) throws {
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
