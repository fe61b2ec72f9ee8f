public import Journals

/// The newest lines of one run's output: what its page shows, and how far it is.
public struct OutputTail: Sendable {
    /// How many lines are kept in memory of each run, which is as many as a page shows.
    public static let lineLimit = 500

    /// The number of the last line; 0 while there is none.
    public let head: Int64
    /// The newest lines, oldest first, without gaps up to the last one: at most 500, fewer of very long ones.
    public let lines: [OutputLine]
    /// Whether the run has ended, so that nothing follows.
    public let isClosed: Bool

    /// Makes a tail of its parts.
    public init(head: Int64, lines: [OutputLine], isClosed: Bool) {
        self.head = head
        self.lines = lines
        self.isClosed = isClosed
    }

    /// How many lines there are before these.
    public var earlier: Int64 { head - Int64(lines.count) }

    /// The lines after a number; nil when not all of them are in memory.
    public func lines(after number: Int64) -> ArraySlice<OutputLine>? {
        guard number >= earlier else { return nil }
        return lines.dropFirst(Int(min(number, head) - earlier))
    }
}
