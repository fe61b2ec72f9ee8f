public import States

/// One state that a run passed through, without its ticks: a row of its timeline.
public struct Transition: Sendable, Hashable {
    /// The name of the case.
    public let caseName: String
    /// The phase of the case.
    public let phase: Phase
    /// When the run entered it.
    public let at: Timestamp
    /// The sequence of the change.
    public let sequence: Int64
    /// The revision of the change in its stream.
    public let revision: Int64

    /// The row of a change.
    public init(_ change: Change) {
        self.init(
            caseName: change.state.caseName, phase: change.state.phase, at: change.at, sequence: change.sequence,
            revision: change.revision)
    }

    /// Makes a row of its parts.
    public init(caseName: String, phase: Phase, at: Timestamp, sequence: Int64, revision: Int64) {
        self.caseName = caseName
        self.phase = phase
        self.at = at
        self.sequence = sequence
        self.revision = revision
    }
}
