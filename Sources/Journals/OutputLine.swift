public import States

/// A recorded line of a run's output.
public struct OutputLine: Sendable, Hashable {
    /// Its place in its run's output, from 1, without gaps.
    public let number: Int64
    /// What was recorded.
    public let draft: OutputDraft

    /// Makes a line of a draft and the place a journal gave it.
    public init(number: Int64, draft: OutputDraft) {
        self.number = number
        self.draft = draft
    }

    /// When it was written.
    public var at: Timestamp { draft.at }
    /// Where it came from.
    public var channel: OutputChannel { draft.channel }
    /// The line, without its end.
    public var text: String { draft.text }
    /// Whether the line goes on in the next one.
    public var continues: Bool { draft.continues }
}
