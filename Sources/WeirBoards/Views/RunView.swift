package import WeirJournals

/// A run as it was at one change: what its pages are rendered from, and all they are rendered from.
///
/// Immutable, so that a page as of any change can be rendered at any time, by anyone, to the same bytes.
package final class RunView: Sendable {
    /// The fold of the run's changes.
    package let record: RunRecord
    /// When its last change happened.
    package let at: Timestamp
    /// The states it passed through, oldest first; of a very long run the newest 500.
    package let transitions: [Transition]
    /// How many older transitions are left out of `transitions`.
    package let omittedTransitions: Int

    /// Creates a view from its parts.
    package init(record: RunRecord, at: Timestamp? = nil, transitions: [Transition], omittedTransitions: Int) {
        self.record = record
        self.at = at ?? record.endedAt ?? transitions.last?.at ?? record.startedAt
        self.transitions = transitions
        self.omittedTransitions = omittedTransitions
    }

    /// Starts the fold with a run's first change; nil for any other change.
    package convenience init?(opening change: Change) {
        guard let record = RunRecord(opening: change) else { return nil }
        self.init(record: record, at: change.at, transitions: [Transition(change)], omittedTransitions: 0)
    }

    /// How many transitions a view keeps, the newest.
    static let transitionLimit = 500

    /// The view at a point of a run's past; nil if the opening is no opening.
    convenience init?(opening: Change, at point: RunPast.Point) {
        guard var record = RunRecord(opening: opening) else { return nil }
        if point.change.sequence != opening.sequence { record.apply(point.change) }
        self.init(
            record: record, at: point.change.at, transitions: point.transitions, omittedTransitions: point.omitted)
    }

    /// The view after the next change of the same stream; of its transitions the newest are kept, 500 by default.
    package func applying(_ change: Change, keeping limit: Int? = nil) -> RunView {
        var record = record
        record.apply(change)
        guard change.isTransition else {
            return RunView(
                record: record, at: change.at, transitions: transitions, omittedTransitions: omittedTransitions)
        }
        let all = transitions + [Transition(change)]
        let surplus = max(0, all.count - (limit ?? Self.transitionLimit))
        return RunView(
            record: record, at: change.at, transitions: Array(all.dropFirst(surplus)),
            omittedTransitions: omittedTransitions + surplus)
    }
}
