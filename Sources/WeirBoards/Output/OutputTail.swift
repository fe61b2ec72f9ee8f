package import WeirJournals

/// The newest lines of one run's output: what its page shows, and how far it is.
package struct OutputTail: Sendable {
    /// How many lines are kept in memory of each run, which is as many as a page shows.
    package static let lineLimit = 500
    /// How many bytes these take at most, about.
    static let byteLimit = 1_048_576
    /// How many lines are read from a journal together.
    static let batch = 50

    /// The number of the last line; 0 while there is none.
    package let head: SequenceNumber
    /// The newest lines, oldest first, without gaps up to the last one: at most 500, fewer of very long ones.
    package let lines: [OutputLine]
    /// Whether the run has ended, so that nothing follows.
    package let isClosed: Bool

    /// Creates a tail from its parts.
    package init(head: SequenceNumber, lines: [OutputLine], isClosed: Bool) {
        self.head = head
        self.lines = lines
        self.isClosed = isClosed
    }

    /// The number of lines before these.
    package var earlier: SequenceNumber { head.advanced(by: -lines.count) }

    /// The lines after a number; nil if not all of them are in memory.
    package func lines(after number: SequenceNumber) -> ArraySlice<OutputLine>? {
        guard number >= earlier else { return nil }
        return lines.dropFirst(earlier.distance(to: min(number, head)))
    }
}
