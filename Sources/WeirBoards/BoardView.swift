package import WeirJournals

package struct BoardView: Sendable {
    /// The sequence of the change; 0 before the first.
    package let sequence: SequenceNumber
    package let operations: [OperationView]
    /// The latest runs of all operations, newest first, at most 25.
    package let recentRuns: [RunView]
    package let stores: [StoreView]

    package init(
        sequence: SequenceNumber, operations: [OperationView], recentRuns: [RunView], stores: [StoreView] = []
    ) {
        self.sequence = sequence
        self.operations = operations
        self.recentRuns = recentRuns
        self.stores = stores
    }

    /// A copy with another sequence, used when the changes in between do not affect this view.
    func at(_ sequence: SequenceNumber) -> BoardView {
        BoardView(sequence: sequence, operations: operations, recentRuns: recentRuns, stores: stores)
    }

    package func operation(_ id: String) -> OperationView? { operations.first { $0.id == id } }

    package func store(_ id: String) -> StoreView? { stores.first { $0.id == id } }
}

/// An operation after a change, with its latest runs.
package final class OperationView: Sendable {
    package let id: String
    /// The latest runs, at most twenty: local runs first, newest first, then imported ones.
    package let recent: [RunView]
    package let activeRuns: Int

    package init(id: String, recent: [RunView] = [], activeRuns: Int = 0) {
        self.id = id
        self.recent = recent
        self.activeRuns = activeRuns
    }

    package var latest: RunView? { recent.first }
}

/// A run after a change: the only input for rendering its pages.
///
/// Immutable, so that rendering a page of the same change always produces the same bytes. Only the same object is equal.
package final class RunView: Sendable, Equatable {
    /// The accumulated state of the run's changes.
    package let record: RunRecord
    package let at: Timestamp
    /// The states it passed through, oldest first, at most the newest 500.
    package let transitions: [Transition]
    /// The number of older transitions that `transitions` omits.
    package let omittedTransitions: Int

    package static func == (first: RunView, second: RunView) -> Bool { first === second }

    package init(record: RunRecord, at: Timestamp? = nil, transitions: [Transition], omittedTransitions: Int) {
        self.record = record
        self.at = at ?? record.endedAt ?? transitions.last?.at ?? record.startedAt
        self.transitions = transitions
        self.omittedTransitions = omittedTransitions
    }

    /// Creates the view after a run's first change; nil for any other change.
    package convenience init?(opening change: Change) {
        guard let record = RunRecord(opening: change) else { return nil }
        self.init(record: record, at: change.at, transitions: [Transition(change)], omittedTransitions: 0)
    }

    static let transitionLimit = 500

    /// Creates the view at a point of a run's past; nil if `opening` does not open a run.
    convenience init?(opening: Change, at point: RunPast.Point) {
        guard var record = RunRecord(opening: opening) else { return nil }
        if point.change.sequence != opening.sequence { record.apply(point.change) }
        self.init(
            record: record, at: point.change.at, transitions: point.transitions, omittedTransitions: point.omitted)
    }

    /// The view after the run's next change, with at most `limit` transitions; ``transitionLimit`` if nil.
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

extension BoardView {
    static let recentLimit = 25

    /// The view after the next change, of a run; `before` is nil if the change opens the run.
    func applying(_ change: Change, before: RunView?, after: RunView?) -> BoardView {
        guard let after else {
            return applying(change, store: nil)
        }
        var operations = operations
        if let index = operations.firstIndex(where: { $0.id == change.subject }) {
            operations[index] = operations[index].applying(before: before, after: after)
        }
        return BoardView(
            sequence: change.sequence, operations: operations,
            recentRuns: recentRuns.applying(after, isNew: before == nil, limit: Self.recentLimit), stores: stores)
    }

    /// The view after a change of a store, or of an unknown run or store.
    func applying(_ change: Change, store: StoreView?) -> BoardView {
        var stores = stores
        if let store, let index = stores.firstIndex(where: { $0.id == store.id }) { stores[index] = store }
        return BoardView(
            sequence: change.sequence, operations: operations, recentRuns: recentRuns, stores: stores)
    }
}

extension OperationView {
    package static let recentLimit = 20

    /// The view after a change of one of its runs.
    ///
    /// Imported runs follow local runs, so that the operation's card shows a local one.
    func applying(before: RunView?, after: RunView) -> OperationView {
        OperationView(
            id: id, recent: recent.applying(after, isNew: before == nil, limit: Self.recentLimit, ownFirst: true),
            activeRuns: activeRuns + (after.isActive ? 1 : 0) - (before?.isActive == true ? 1 : 0))
    }
}

extension RunView {
    var isActive: Bool { record.endedAt == nil }

    var isImported: Bool { record.origin != nil }
}

extension [RunView] {
    /// The list, newest first, with a run replaced, or inserted if it is new.
    fileprivate func applying(_ run: RunView, isNew: Bool, limit: Int, ownFirst: Bool = false) -> [RunView] {
        if isNew {
            let place = ownFirst && run.isImported ? firstIndex(where: \.isImported) ?? count : 0
            return Array((prefix(place) + [run] + dropFirst(place)).prefix(limit))
        }
        guard let index = firstIndex(where: { $0.record.id == run.record.id }) else { return self }
        var list = self
        list[index] = run
        return list
    }
}
