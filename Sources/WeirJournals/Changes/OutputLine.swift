package import WeirStates

/// A line of output without a number.
///
/// A text has at most ``maximumBytes``; ``pieces(of:at:channel:)`` splits a longer line into several drafts, so that
/// nothing is lost and no line fills a page or a buffer.
package struct OutputDraft: Sendable, Hashable {
    /// The maximum number of UTF-8 bytes of a line.
    package static let maximumBytes = 16_384

    package let at: Timestamp
    package let channel: OutputChannel
    /// The line, without its terminator.
    package let text: String
    /// Whether the line continues in the next draft.
    package let continues: Bool

    /// Creates a draft; text beyond ``maximumBytes`` is cut off between two scalars.
    package init(at: Timestamp, channel: OutputChannel = .standardOutput, text: String, continues: Bool = false) {
        self.at = at
        self.channel = channel
        self.text = String(text[..<Self.cut(text[...])])
        self.continues = continues
    }

    /// Splits a line into drafts; all but the last continue.
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

    /// The end of the first piece, between two scalars, because a single character can exceed the limit.
    private static func cut(_ text: Substring) -> String.Index {
        guard text.utf8.count > maximumBytes else { return text.endIndex }
        var end = text.utf8.index(text.startIndex, offsetBy: maximumBytes)
        while text.utf8[end] & 0b1100_0000 == 0b1000_0000 { end = text.utf8.index(before: end) }
        return end
    }
}

package struct OutputLine: Sendable, Hashable {
    /// The position in the run's output, from 1, without gaps.
    package let number: SequenceNumber
    package let draft: OutputDraft

    package init(number: SequenceNumber, draft: OutputDraft) {
        self.number = number
        self.draft = draft
    }

    package var at: Timestamp { draft.at }
    package var channel: OutputChannel { draft.channel }
    package var text: String { draft.text }
    package var continues: Bool { draft.continues }
}
