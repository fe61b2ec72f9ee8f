package import WeirJournals

/// A topic's changes after a cursor, oldest first, and what of them is gone.
package struct ChangeSlice: Sendable, Hashable {
    /// The changes, oldest first.
    package let changes: [Change]
    /// The cursor they come after.
    package let from: SequenceNumber
    /// The cursor of a reader who has read them: the sequence of the last one, or `from` if there is none; behind what is
    /// removed, if nothing follows.
    package let to: SequenceNumber
    /// Whether more follow.
    package let more: Bool
    /// Between which sequences, both included, changes of the topic may be gone; nil if nothing is.
    package let lost: ClosedRange<SequenceNumber>?

    /// Creates a slice from its parts.
    package init(
        changes: [Change], from: SequenceNumber, to: SequenceNumber, more: Bool, lost: ClosedRange<SequenceNumber>?
    ) {
        self.changes = changes
        self.from = from
        self.to = to
        self.more = more
        self.lost = lost
    }

    init(_ changes: [Change], from: SequenceNumber, more: Bool, lost: ClosedRange<SequenceNumber>?) {
        self.init(changes: changes, from: from, to: changes.last?.sequence ?? from, more: more, lost: lost)
    }
}
