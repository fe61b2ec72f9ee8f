public import Boards

/// What a run has printed, for its page, and where the page goes on from there.
public struct PageOutput: Sendable {
    /// The newest lines.
    public let tail: OutputTail
    /// How far the page has come in the output's own feed; nil where nothing can follow.
    public let cursor: PageCursor?

    /// Makes an output of its parts.
    public init(tail: OutputTail, cursor: PageCursor?) {
        self.tail = tail
        self.cursor = cursor
    }
}
