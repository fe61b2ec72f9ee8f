public import Journals
public import States

/// A store as it stood at one change: what its pages are rendered from, and all they are rendered from.
///
/// Immutable, so that a page as of any change can be rendered at any time, by anyone, to the same bytes.
public final class StoreView: Sendable {
    /// How many steps the log has at most.
    public static let logLimit = 100
    /// How many effects are shown at most, of those in the log.
    public static let effectLimit = 50

    /// The store: its id, its words, its forms.
    public let entry: StoreEntry
    /// The sequence of its last change; 0 before the first.
    public let sequence: Int64
    /// The revision of its last change; -1 before the first.
    public let revision: Int64
    /// The state it was in.
    public let state: StateRecord
    /// Its steps, newest first, at most a hundred.
    public let log: [StoreLogLine]

    /// The store's id.
    public var id: String { entry.id }

    /// How many older steps are left out of `log`.
    public var omittedSteps: Int64 { revision + 1 - Int64(log.count) }

    /// What could be done, whether or not it can still.
    ///
    /// Computed from the state at each call.
    public var offers: [ActionOffer] { entry.offers(in: state) }

    /// The newest effects of the steps in the log, newest first, at most fifty.
    public var effects: [StoreEffectLine] {
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
    public convenience init(_ entry: StoreEntry) {
        self.init(entry, sequence: 0, revision: -1, state: entry.initial, log: [])
    }

    /// A store after the last of its changes, given oldest first; only the newest hundred are needed.
    public convenience init(_ entry: StoreEntry, changes: some BidirectionalCollection<Change>) {
        guard let last = changes.last else {
            self.init(entry)
            return
        }
        self.init(
            entry, sequence: last.sequence, revision: last.revision, state: last.state,
            log: changes.suffix(Self.logLimit).reversed().compactMap(StoreLogLine.init))
    }

    private init(_ entry: StoreEntry, sequence: Int64, revision: Int64, state: StateRecord, log: [StoreLogLine]) {
        self.entry = entry
        self.sequence = sequence
        self.revision = revision
        self.state = state
        self.log = log
    }

    /// The view after the store's next change.
    public func applying(_ change: Change) -> StoreView {
        var log: [StoreLogLine] = []
        log.reserveCapacity(min(self.log.count + 1, Self.logLimit))
        if let line = StoreLogLine(change) { log.append(line) }
        log += self.log.prefix(Self.logLimit - log.count)
        return StoreView(
            entry, sequence: change.sequence, revision: change.revision, state: change.state, log: log)
    }
}
