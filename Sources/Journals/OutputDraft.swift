public import States

/// A line of output that no journal has given its number yet.
///
/// A text is never longer than ``maximumBytes``; ``pieces(of:at:channel:)`` cuts a longer line into several drafts, so
/// that nothing is lost and no single line can fill a page or a buffer.
public struct OutputDraft: Sendable, Hashable {
    /// How many bytes of UTF-8 one line has at most.
    public static let maximumBytes = 16_384

    /// When it was written.
    public let at: Timestamp
    /// Where it came from.
    public let channel: OutputChannel
    /// The line, without its end.
    public let text: String
    /// Whether the line goes on in the next draft, because it was longer than a line may be.
    public let continues: Bool

    /// Makes a draft of a line; what is beyond ``maximumBytes`` is cut off between two characters.
    public init(at: Timestamp, channel: OutputChannel = .standardOutput, text: String, continues: Bool = false) {
        self.at = at
        self.channel = channel
        self.text = String(text[..<Self.cut(text[...])])
        self.continues = continues
    }

    /// One line as drafts: one, or as many as its length takes, all but the last of which continue.
    public static func pieces(
        of line: String, at moment: Timestamp, channel: OutputChannel = .standardOutput
    ) -> [OutputDraft] {
        var rest = line[...]
        var pieces: [OutputDraft] = []
        repeat {
            let end = cut(rest)
            pieces.append(
                OutputDraft(at: moment, channel: channel, text: String(rest[..<end]), continues: end < rest.endIndex))
            rest = rest[end...]
        } while !rest.isEmpty
        return pieces
    }

    /// Where the first piece of a text ends: between two scalars, as a single character may be longer than a line.
    private static func cut(_ text: Substring) -> String.Index {
        guard text.utf8.count > maximumBytes else { return text.endIndex }
        var end = text.utf8.index(text.startIndex, offsetBy: maximumBytes)
        while text.utf8[end] & 0b1100_0000 == 0b1000_0000 { end = text.utf8.index(before: end) }
        return end
    }
}
