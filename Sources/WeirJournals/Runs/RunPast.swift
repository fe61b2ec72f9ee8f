/// A run at a moment of its past, and as it is now: everything its pages need, read at once, however long it is.
package struct RunPast: Sendable, Hashable {
    /// A run after one of its changes.
    package struct Point: Sendable, Hashable {
        /// The change.
        package let change: Change
        /// The newest of its transitions up to the change, oldest first.
        package let transitions: [Transition]
        /// The number of transitions before those.
        package let omitted: Int

        /// Creates a point from its parts.
        package init(change: Change, transitions: [Transition], omitted: Int) {
            self.change = change
            self.transitions = transitions
            self.omitted = omitted
        }
    }

    /// The run's first change.
    package let opening: Change
    /// The run after its last change at or before the requested sequence; nil if it had not begun.
    package let standing: Point?
    /// The run after its newest change.
    package let newest: Point
    /// The sequence of the run's change before that one.
    package let previous: SequenceNumber?
    /// The sequence of the run's change after that one.
    package let next: SequenceNumber?

    /// Creates a past from its parts.
    package init(opening: Change, standing: Point?, newest: Point, previous: SequenceNumber?, next: SequenceNumber?) {
        self.opening = opening
        self.standing = standing
        self.newest = newest
        self.previous = previous
        self.next = next
    }
}
