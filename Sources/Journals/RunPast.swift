/// A run at a moment of its past, and as it stands: all that its pages are made of, read at once, however long it is.
public struct RunPast: Sendable, Hashable {
    /// A run after one of its changes.
    public struct Point: Sendable, Hashable {
        /// The change.
        public let change: Change
        /// The newest of its transitions up to the change, oldest first.
        public let transitions: [Transition]
        /// How many transitions came before those.
        public let omitted: Int

        /// Makes a point of its parts.
        public init(change: Change, transitions: [Transition], omitted: Int) {
            self.change = change
            self.transitions = transitions
            self.omitted = omitted
        }
    }

    /// The run's first change.
    public let opening: Change
    /// The run after its last change at or before the sequence that was asked for; nil when it had not begun.
    public let standing: Point?
    /// The run after its newest change.
    public let newest: Point
    /// The sequence of the run's change before the one it stands at.
    public let previous: Int64?
    /// The sequence of the run's change after the one it stands at.
    public let next: Int64?

    /// Makes a past of its parts.
    public init(opening: Change, standing: Point?, newest: Point, previous: Int64?, next: Int64?) {
        self.opening = opening
        self.standing = standing
        self.newest = newest
        self.previous = previous
        self.next = next
    }
}
