package import WeirJournals
package import WeirStates

/// One step of a store: a row of its log.
///
/// A class, because each step's view holds the rows of those before it.
package final class StoreLogLine: Sendable {
    /// The sequence of the change.
    package let sequence: SequenceNumber
    /// The revision of the change in the store's stream, from 0.
    package let revision: Int64
    /// When it happened.
    package let at: Timestamp
    /// What happened: the kind, the action, who took it, and the effects.
    package let step: StoreStep
    /// What caused it, where the store's own work or the server said so.
    package let cause: String?
    /// The name of the state's case after it; `value` for a state that is no enum.
    package let caseName: String
    /// The phase of the state after it.
    package let phase: Phase

    /// The row of a store's change; nil for a change of a run.
    package init?(_ change: Change) {
        guard let step = change.draft.step else { return nil }
        sequence = change.sequence
        revision = change.revision
        at = change.at
        self.step = step
        cause = change.draft.cause
        caseName = change.state.caseName
        phase = change.state.phase
    }
}
