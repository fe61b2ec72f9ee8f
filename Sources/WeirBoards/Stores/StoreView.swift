package import WeirJournals
package import WeirStates

/// A store after a change: the only input for rendering its pages.
///
/// Immutable, so that rendering a page of the same change always produces the same bytes.
package final class StoreView: Sendable {
    package static let logLimit = 100
    package static let effectLimit = 50

    package let entry: StoreEntry
    /// The sequence of the last change; 0 before the first.
    package let sequence: SequenceNumber
    /// The revision of the last change; -1 before the first.
    package let revision: Int64
    package let state: StateRecord
    /// The newest changes, newest first, at most ``logLimit``.
    package let log: [StoreLogLine]

    package var id: String { entry.id }

    /// The number of older changes that `log` omits.
    package var omittedSteps: Int64 { revision + 1 - Int64(log.count) }

    /// The offers of the state.
    ///
    /// Computed at each call.
    package var offers: [ActionOffer] { entry.offers(in: state) }

    /// The newest effects of the changes in the log, newest first, at most ``effectLimit``.
    package var effects: [StoreEffectLine] {
        var lines: [StoreEffectLine] = []
        for line in log where !line.step.effects.isEmpty {
            for (index, effect) in line.step.effects.enumerated().reversed() {
                guard lines.count < Self.effectLimit else { return lines }
                lines.append(StoreEffectLine(sequence: line.sequence, index: index, at: line.at, effect: effect))
            }
        }
        return lines
    }

    package convenience init(_ entry: StoreEntry) {
        self.init(entry, sequence: 0, revision: -1, state: entry.initial, log: [])
    }

    /// Creates the view after the given changes, oldest first; only the newest hundred are needed.
    package convenience init(_ entry: StoreEntry, changes: some BidirectionalCollection<Change>) {
        guard let last = changes.last else {
            self.init(entry)
            return
        }
        self.init(
            entry, sequence: last.sequence, revision: last.revision, state: last.state,
            log: changes.suffix(Self.logLimit).reversed().compactMap(StoreLogLine.init))
    }

    private init(
        _ entry: StoreEntry, sequence: SequenceNumber, revision: Int64, state: StateRecord, log: [StoreLogLine]
    ) {
        self.entry = entry
        self.sequence = sequence
        self.revision = revision
        self.state = state
        self.log = log
    }

    func applying(_ change: Change) -> StoreView {
        var log: [StoreLogLine] = []
        log.reserveCapacity(min(self.log.count + 1, Self.logLimit))
        if let line = StoreLogLine(change) { log.append(line) }
        log += self.log.prefix(Self.logLimit - log.count)
        return StoreView(
            entry, sequence: change.sequence, revision: change.revision, state: change.state, log: log)
    }
}

/// One change of a store, as a row of its log.
///
/// A class, so that the views of successive changes share rows.
package final class StoreLogLine: Sendable {
    package let sequence: SequenceNumber
    /// The revision of the change in the store's stream, from 0.
    package let revision: Int64
    package let at: Timestamp
    /// The kind of change, with the action, its actor and its effects.
    package let step: StoreStep
    /// The cause, if the store's work or the server gave one.
    package let cause: String?
    /// The case name of the resulting state; `value` for a state that is not an enum.
    package let caseName: String
    package let phase: Phase

    /// Creates the row of a store's change; nil for a change of a run.
    init?(_ change: Change) {
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
