package import WeirJournals
package import WeirStates

/// A store as it was at one change: what its pages are rendered from, and all they are rendered from.
///
/// Immutable, so that a page as of any change can be rendered at any time, by anyone, to the same bytes.
package final class StoreView: Sendable {
    /// How many steps the log has at most.
    package static let logLimit = 100
    /// How many effects are shown at most, of those in the log.
    package static let effectLimit = 50

    /// The store: its id, its words, its forms.
    package let entry: StoreEntry
    /// The sequence of its last change; 0 before the first.
    package let sequence: SequenceNumber
    /// The revision of its last change; -1 before the first.
    package let revision: Int64
    /// The state it was in.
    package let state: StateRecord
    /// Its steps, newest first, at most a hundred.
    package let log: [StoreLogLine]

    /// The store's id.
    package var id: String { entry.id }

    /// How many older steps are left out of `log`.
    package var omittedSteps: Int64 { revision + 1 - Int64(log.count) }

    /// What could be done, whether or not it can still.
    ///
    /// Computed from the state at each call.
    package var offers: [ActionOffer] { entry.offers(in: state) }

    /// The newest effects of the steps in the log, newest first, at most fifty.
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

    /// A store before its first change.
    package convenience init(_ entry: StoreEntry) {
        self.init(entry, sequence: 0, revision: -1, state: entry.initial, log: [])
    }

    /// A store after the last of its changes, given oldest first; only the newest hundred are needed.
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

    /// The view after the store's next change.
    package func applying(_ change: Change) -> StoreView {
        var log: [StoreLogLine] = []
        log.reserveCapacity(min(self.log.count + 1, Self.logLimit))
        if let line = StoreLogLine(change) { log.append(line) }
        log += self.log.prefix(Self.logLimit - log.count)
        return StoreView(
            entry, sequence: change.sequence, revision: change.revision, state: change.state, log: log)
    }
}
