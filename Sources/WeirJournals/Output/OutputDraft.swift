package import WeirStates

/// A line of output that has no number in a journal yet.
///
/// A text is never longer than ``maximumBytes``; ``pieces(of:at:channel:)`` splits a longer line into several drafts,
/// so that nothing is lost and no single line can fill a page or a buffer.
package struct OutputDraft: Sendable, Hashable {
    /// The maximum number of UTF-8 bytes of a line.
    package static let maximumBytes = 16_384

    /// When it was written.
    package let at: Timestamp
    /// Where it came from.
    package let channel: OutputChannel
    /// The line, without its end.
    package let text: String
    /// Whether the line continues in the next draft, because it is longer than a line can be.
    package let continues: Bool

    /// Creates a draft of a line; text beyond ``maximumBytes`` is cut off between two characters.
    package init(at: Timestamp, channel: OutputChannel = .standardOutput, text: String, continues: Bool = false) {
        self.at = at
        self.channel = channel
        self.text = String(text[..<Self.cut(text[...])])
        self.continues = continues
    }

    /// The drafts of one line: as many as its length requires, all but the last of which continue.
    package static func pieces(
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

    /// Where the first piece of a text ends: between two scalars, because a single character can be longer than a line.
    private static func cut(_ text: Substring) -> String.Index {
        guard text.utf8.count > maximumBytes else { return text.endIndex }
        var end = text.utf8.index(text.startIndex, offsetBy: maximumBytes)
        while text.utf8[end] & 0b1100_0000 == 0b1000_0000 { end = text.utf8.index(before: end) }
        return end
    }
}
