import Journals
import States

/// Where a stream stands while changes are added to it within one transaction.
///
/// A class, so that a change moves it on without copying it; it does not leave its transaction.
final class StreamState {
    /// The sequence of its first change, which is its number.
    let opened: Int64
    let subject: String
    /// The number of the operation's name; nil for a store.
    let operation: Int64?
    var revision: Int64
    var sequence: Int64
    var phase: Phase
    var ended: Timestamp?

    /// How the table has it; nil while it is new.
    var storedPhase: Phase?
    /// What a new run was started with, and when.
    var opening: RunOpening?
    var started: Timestamp?
    /// Which journal a new run came from, if it is imported.
    var epoch: String?
    /// Whether its text is in the index, which is then out of date.
    var isIndexed = false

    /// A stream as the table has it.
    init(
        stored opened: Int64, subject: String, operation: Int64?, revision: Int64, sequence: Int64, phase: Phase,
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

    /// A stream that begins with a change.
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

    /// Takes the next change in.
    func apply(_ change: Change) {
        revision = change.revision
        sequence = change.sequence
        phase = change.state.phase
        ended = change.state.phase.isEnded ? change.at : nil
    }
}
