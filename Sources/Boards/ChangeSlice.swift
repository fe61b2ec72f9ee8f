public import Journals

/// A topic's changes after a cursor, oldest first, and what of them is gone.
public struct ChangeSlice: Sendable, Hashable {
    /// The changes, oldest first.
    public let changes: [Change]
    /// The cursor they come after.
    public let from: Int64
    /// The cursor of a reader who has read them: the sequence of the last one, or `from` when there is none.
    public let to: Int64
    /// Whether more follow.
    public let more: Bool
    /// Between which sequences, both included, changes of the topic may be gone; nil when nothing is.
    public let lost: ClosedRange<Int64>?

    /// Makes a slice of its parts.
    public init(changes: [Change], from: Int64, to: Int64, more: Bool, lost: ClosedRange<Int64>?) {
        self.changes = changes
        self.from = from
        self.to = to
        self.more = more
        self.lost = lost
    }

    init(_ changes: [Change], from: Int64, more: Bool, lost: ClosedRange<Int64>?) {
        self.init(changes: changes, from: from, to: changes.last?.sequence ?? from, more: more, lost: lost)
    }
}
