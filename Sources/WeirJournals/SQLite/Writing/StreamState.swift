import WeirStates

/// The state of a stream while changes are added to it within one transaction.
///
/// It is a class, so that a change advances it without a copy; it does not leave its transaction.
final class StreamState {
    /// The sequence of its first change, which is its number.
    let opened: SequenceNumber
    let subject: String
    /// The number of the operation's name; nil for a store.
    let operation: Int64?
    var revision: Int64
    var sequence: SequenceNumber
    var phase: Phase
    var ended: Timestamp?

    /// The phase in the table; nil while the run is new.
    var storedPhase: Phase?
    /// What a new run was started with, and when.
    var opening: RunOpening?
    var started: Timestamp?
    /// The journal that a new run came from, if it is imported.
    var epoch: String?
    /// Whether its text is in the index, and so out of date.
    var isIndexed = false

    /// Creates a stream from the table.
    init(
        stored opened: SequenceNumber, subject: String, operation: Int64?, revision: Int64, sequence: SequenceNumber,
        phase: Phase,
        ended: Timestamp?, isIndexed: Bool
    ) {
        self.opened = opened
        self.subject = subject
        self.operation = operation
        self.revision = revision
        self.sequence = sequence
        self.phase = phase
        self.ended = ended
        self.isIndexed = isIndexed
        storedPhase = phase
    }

    /// Creates a stream that begins with a change.
    init(beginningWith change: Change, operation: Int64?) {
        opened = change.sequence
        subject = change.subject
        self.operation = operation
        revision = change.revision
        sequence = change.sequence
        phase = change.state.phase
        ended = change.state.phase.isEnded ? change.at : nil
        opening = change.draft.opening
        started = change.at
        epoch = change.origin?.epoch
    }

    /// Applies the next change.
    func apply(_ change: Change) {
        revision = change.revision
        sequence = change.sequence
        phase = change.state.phase
        ended = change.state.phase.isEnded ? change.at : nil
    }
}
