package import WeirStates

/// A recorded line of a run's output.
package struct OutputLine: Sendable, Hashable {
    /// Its place in its run's output, from 1, without gaps.
    package let number: SequenceNumber
    /// What was recorded.
    package let draft: OutputDraft

    /// Creates a line from a draft and the place that a journal assigned.
    package init(number: SequenceNumber, draft: OutputDraft) {
        self.number = number
        self.draft = draft
    }

    /// When it was written.
    package var at: Timestamp { draft.at }
    /// Where it came from.
    package var channel: OutputChannel { draft.channel }
    /// The line, without its end.
    package var text: String { draft.text }
    /// Whether the line continues in the next one.
    package var continues: Bool { draft.continues }
}
