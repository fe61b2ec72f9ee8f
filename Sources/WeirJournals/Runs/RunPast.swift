package import WeirStates

/// A run at a past sequence and in its current state, with everything its pages need in one read.
package struct RunPast: Sendable, Hashable {
    package struct Point: Sendable, Hashable {
        package let change: Change
        /// The newest of its transitions up to the change, oldest first.
        package let transitions: [Transition]
        /// The number of earlier transitions.
        package let omitted: Int

        package init(change: Change, transitions: [Transition], omitted: Int) {
            self.change = change
            self.transitions = transitions
            self.omitted = omitted
        }
    }

    package let opening: Change
    /// The run after its last change at or before the requested sequence; nil if it had not begun.
    package let standing: Point?
    package let newest: Point
    /// The sequence of the run's change before ``standing``.
    package let previous: SequenceNumber?
    /// The sequence of the run's change after ``standing``.
    package let next: SequenceNumber?

    package init(opening: Change, standing: Point?, newest: Point, previous: SequenceNumber?, next: SequenceNumber?) {
        self.opening = opening
        self.standing = standing
        self.newest = newest
        self.previous = previous
        self.next = next
    }
}

/// A state that a run entered, without its ticks: a row of its timeline.
package struct Transition: Sendable, Hashable {
    package let caseName: String
    package let phase: Phase
    package let at: Timestamp
    package let sequence: SequenceNumber
    package let revision: Int64

    package init(_ change: Change) {
        self.init(
            caseName: change.state.caseName, phase: change.state.phase, at: change.at, sequence: change.sequence,
            revision: change.revision)
    }

    package init(caseName: String, phase: Phase, at: Timestamp, sequence: SequenceNumber, revision: Int64) {
        self.caseName = caseName
        self.phase = phase
        self.at = at
        self.sequence = sequence
        self.revision = revision
    }
}
