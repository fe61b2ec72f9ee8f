/// Part of a topic's publications, oldest first, as a cursor asked for it.
public enum Slice: Sendable {
    /// The publications after the cursor, at least one, and whether more follow.
    case some([Publication], more: Bool)
    /// Nothing after the cursor yet.
    case none
    /// The cursor is older than what is kept: the changes after it up to this sequence are gone.
    case gap(floor: Int64)
    /// The cursor lies beyond the last change.
    case future
}
