/// A piece of a runbook's text that is written in one way.
public struct RunbookSpan: Codable, Hashable, Sendable {
    /// The piece as it reads, without Markdown's marks; a line break is a line feed.
    public let text: String
    /// Whether it is something to type or to look for.
    public let code: Bool
    /// Whether it is stressed.
    public let strong: Bool
    /// Where it leads, an `http`, `https` or `mailto` address.
    public let link: String?

    /// Makes a piece.
    public init(_ text: String, code: Bool = false, strong: Bool = false, link: String? = nil) {
        self.text = text
        self.code = code
        self.strong = strong
        self.link = link
    }
}
