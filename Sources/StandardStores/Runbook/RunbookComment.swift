/// What somebody said about a step.
public struct RunbookComment: Codable, Hashable, Sendable {
    /// What was said, on one line.
    public let text: String
    /// Who said it, and when.
    public let signed: Signature?

    /// Makes a comment.
    public init(_ text: String, signed: Signature?) {
        self.text = text
        self.signed = signed
    }
}
