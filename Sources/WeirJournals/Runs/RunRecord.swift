public import WeirStates

/// A run as derived from its changes: the fold of its stream.
public struct RunRecord: Sendable, Hashable {
    /// The run's id.
    public let id: String
    /// The id of its operation.
    public let operation: String
    /// What it was started with.
    package let opening: RunOpening
    /// The state of its last change.
    public internal(set) var state: StateRecord
    /// What caused the last change, if that is known.
    package internal(set) var cause: String?
    /// The revision of its last change.
    package internal(set) var revision: Int64
    /// The sequence of its last change.
    package internal(set) var sequence: SequenceNumber
    /// The sequence of its first change, by which pages of runs are ordered.
    package let openedSequence: SequenceNumber
    /// When it started.
    public let startedAt: Timestamp
    /// When its last change happened.
    package internal(set) var changedAt: Timestamp
    /// When it ended; nil while it is active.
    public internal(set) var endedAt: Timestamp?
    /// Where its first change was first recorded, if the run was imported from another journal.
    package let origin: ChangeOrigin?

    /// Begins the fold with a run's first change; nil for any other change.
    package init?(opening change: Change) {
        guard case .run(let id) = change.stream, let opening = change.draft.opening else { return nil }
        self.id = id
        self.opening = opening
        operation = change.subject
        openedSequence = change.sequence
        startedAt = change.at
        changedAt = change.at
        origin = change.origin
        state = change.state
        revision = change.revision
        sequence = change.sequence
        cause = change.draft.cause
        endedAt = change.state.phase.isEnded ? change.at : nil
    }

    /// Creates a record from a journal's table.
    package init(
        id: String, operation: String, opening: RunOpening, state: StateRecord, cause: String?, revision: Int64,
        sequence: SequenceNumber, openedSequence: SequenceNumber, startedAt: Timestamp, endedAt: Timestamp?,
        origin: ChangeOrigin? = nil, changedAt: Timestamp? = nil
    ) {
        self.id = id
        self.operation = operation
        self.opening = opening
        self.state = state
        self.cause = cause
        self.revision = revision
        self.sequence = sequence
        self.openedSequence = openedSequence
        self.startedAt = startedAt
        self.changedAt = changedAt ?? endedAt ?? startedAt
        self.endedAt = endedAt
        self.origin = origin
    }

    /// Folds in the next change of the same stream.
    package mutating func apply(_ change: Change) {
        state = change.state
        revision = change.revision
        sequence = change.sequence
        cause = change.draft.cause
        changedAt = change.at
        endedAt = change.state.phase.isEnded ? change.at : nil
    }
}
