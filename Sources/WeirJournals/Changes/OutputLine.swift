package import WeirStates

/// A line of output without a number.
///
/// A text has at most ``maximumBytes``; ``pieces(of:at:channel:continues:)`` splits a longer line into several drafts, so that
/// nothing is lost and no line fills a page or a buffer.
package struct OutputDraft: Sendable, Hashable {
    /// The maximum number of UTF-8 bytes of a line.
    static let maximumBytes = 16_384

    package let at: Timestamp
    package let channel: OutputChannel
    /// The line, without its terminator.
    package let text: String
    /// Whether the line continues in the next draft of the channel.
    package let continues: Bool

    /// Creates a draft; text beyond ``maximumBytes`` is cut off between two scalars.
    package init(at: Timestamp, channel: OutputChannel = .standardOutput, text: String, continues: Bool = false) {
        self.at = at
        self.channel = channel
        self.text = String(text[..<Self.cut(text[...])])
        self.continues = continues
    }

    /// Splits a line into drafts; all but the last continue, and that one too if the text is only a part of a line.
    package static func pieces(
        of line: String, at moment: Timestamp, channel: OutputChannel = .standardOutput, continues: Bool = false
    ) -> [OutputDraft] {
        var rest = line[...]
        var pieces: [OutputDraft] = []
        repeat {
            let end = cut(rest)
            pieces.append(
                OutputDraft(
                    at: moment, channel: channel, text: String(rest[..<end]),
                    continues: continues || end < rest.endIndex))
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

/// Joins the pieces of split lines into a text of lines.
///
/// A piece of another channel begins a line of its own, so that texts of two channels are never one line.
package struct OutputJoiner: Sendable {
    private var open: OutputChannel?

    package init() {}

    package mutating func text(_ piece: String, on channel: OutputChannel, continues: Bool) -> String {
        let start = open == nil || open == channel ? "" : "\n"
        open = continues ? channel : nil
        return start + piece + (continues ? "" : "\n")
    }
}
