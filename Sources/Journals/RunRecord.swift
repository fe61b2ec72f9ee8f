public import States

/// A run as its changes tell it: the fold of its stream.
public struct RunRecord: Sendable, Hashable {
    /// The run's id.
    public let id: String
    /// The id of its operation.
    public let operation: String
    /// What it was started with.
    public let opening: RunOpening
    /// The state of its last change.
    public internal(set) var state: StateRecord
    /// What brought the last change about, if that is known.
    public internal(set) var cause: String?
    /// The revision of its last change.
    public internal(set) var revision: Int64
    /// The sequence of its last change.
    public internal(set) var sequence: Int64
    /// The sequence of its first change: what pages of runs are ordered by.
    public let openedSequence: Int64
    /// When it started.
    public let startedAt: Timestamp
    /// When its last change happened.
    public internal(set) var changedAt: Timestamp
    /// When it ended, or nil while it goes on.
    public internal(set) var endedAt: Timestamp?
    /// Where its first change was recorded first, if the run was imported from another journal.
    public let origin: ChangeOrigin?

    /// Starts the fold with a run's first change; nil for any other change.
    public init?(opening change: Change) {
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

    /// Makes a record as a journal's table keeps it.
    public init(
        id: String, operation: String, opening: RunOpening, state: StateRecord, cause: String?, revision: Int64,
        sequence: Int64, openedSequence: Int64, startedAt: Timestamp, endedAt: Timestamp?,
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

    /// Folds the next change of the same stream in.
    public mutating func apply(_ change: Change) {
        state = change.state
        revision = change.revision
        sequence = change.sequence
        cause = change.draft.cause
        changedAt = change.at
        endedAt = change.state.phase.isEnded ? change.at : nil
    }
}
