package import WeirStates

/// One state that a run passed through, without its ticks: a row of its timeline.
package struct Transition: Sendable, Hashable {
    /// The name of the case.
    package let caseName: String
    /// The phase of the case.
    package let phase: Phase
    /// When the run entered it.
    package let at: Timestamp
    /// The sequence of the change.
    package let sequence: SequenceNumber
    /// The revision of the change in its stream.
    package let revision: Int64

    /// Creates the row of a change.
    package init(_ change: Change) {
        self.init(
            caseName: change.state.caseName, phase: change.state.phase, at: change.at, sequence: change.sequence,
            revision: change.revision)
    }

    /// Creates a row from its parts.
    package init(caseName: String, phase: Phase, at: Timestamp, sequence: SequenceNumber, revision: Int64) {
        self.caseName = caseName
        self.phase = phase
        self.at = at
        self.sequence = sequence
        self.revision = revision
    }
}
