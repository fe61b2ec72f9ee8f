public import Journals

/// A run as it stood at one change: what its pages are rendered from, and all they are rendered from.
///
/// Immutable, so that a page as of any change can be rendered at any time, by anyone, to the same bytes.
public final class RunView: Sendable {
    /// The fold of the run's changes.
    public let record: RunRecord
    /// The states it passed through, oldest first; of a very long run the newest 500.
    public let transitions: [Transition]
    /// How many older transitions are left out of `transitions`.
    public let omittedTransitions: Int

    /// Makes a view of its parts.
    public init(record: RunRecord, transitions: [Transition], omittedTransitions: Int) {
        self.record = record
        self.transitions = transitions
        self.omittedTransitions = omittedTransitions
    }

    /// Starts the fold with a run's first change; nil for any other change.
    public convenience init?(opening change: Change) {
        guard let record = RunRecord(opening: change) else { return nil }
        self.init(record: record, transitions: [Transition(change)], omittedTransitions: 0)
    }

    /// The view after the next change of the same stream.
    public func applying(_ change: Change, keeping limit: Int = 500) -> RunView {
        var record = record
        record.apply(change)
        guard change.isTransition else {
            return RunView(record: record, transitions: transitions, omittedTransitions: omittedTransitions)
        }
        let all = transitions + [Transition(change)]
        let surplus = max(0, all.count - limit)
        return RunView(
            record: record, transitions: Array(all.dropFirst(surplus)),
            omittedTransitions: omittedTransitions + surplus)
    }
}
