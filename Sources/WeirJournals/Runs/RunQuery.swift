package import WeirStates

/// Which runs to list, newest first by default.
package struct RunQuery: Sendable, Hashable {
    /// Only runs of this operation.
    package var operation: String?
    /// Only runs of one of these operations, besides; nil for all.
    package var operations: Set<String>?
    /// Only runs in this phase.
    package var phase: Phase?
    /// Only runs started by this actor.
    package var actor: String?
    /// Only runs whose id, input, last state, name of the operation or, once they have ended, output contains all these
    /// terms, in any order, as `SearchQuery` reads them.
    package var text: String?
    /// What operations are called where the search is made, by their ids: a term in a name finds the operation's runs.
    package var operationNames: [String: String] = [:]
    /// Only runs started at this time or later.
    package var startedAfter: Timestamp?
    /// Only runs started before this time.
    package var startedBefore: Timestamp?
    /// Only runs that were imported from another journal, or only those that were not; nil for both.
    package var isImported: Bool?
    /// Only runs opened before this sequence: where the previous page ended.
    package var before: SequenceNumber?
    /// Only runs opened after this sequence: where the previous page ended if the oldest come first.
    package var after: SequenceNumber?
    /// What the list is ordered by.
    package var order = RunOrder.started
    /// Where the previous page ended, in any order but that of the start, which has `before` and `after`.
    package var beyond: RunOrder.Place?
    /// Whether the oldest runs come first, or those with the least value of the order.
    package var isOldestFirst = false
    /// The maximum number of runs.
    package var limit: Int

    /// Creates a query; without arguments, the newest 50 runs.
    package init(
        operation: String? = nil, phase: Phase? = nil, actor: String? = nil, text: String? = nil,
        startedAfter: Timestamp? = nil, startedBefore: Timestamp? = nil, isImported: Bool? = nil,
        before: SequenceNumber? = nil, limit: Int = 50
    ) {
        self.operation = operation
        self.phase = phase
        self.actor = actor
        self.text = text
        self.startedAfter = startedAfter
        self.startedBefore = startedBefore
        self.isImported = isImported
        self.before = before
        self.limit = limit
    }
}

/// One page of a list of runs.
package struct RunPage: Sendable, Hashable {
    /// The runs, in the order of the query.
    package let runs: [RunRecord]
    /// The value of `before`, or of `after` if the oldest come first, for the next page; nil on the last.
    package let next: SequenceNumber?

    /// Creates a page.
    package init(runs: [RunRecord], next: SequenceNumber?) {
        self.runs = runs
        self.next = next
    }
}

extension RunQuery {
    /// The terms of the text; nil if there are none, which everything satisfies.
    package var search: SearchQuery? {
        guard let text else { return nil }
        let search = SearchQuery(text, operationNames: operationNames)
        return search.terms.isEmpty ? nil : search
    }

    /// Whether the first of two different runs comes first in the list.
    package func precedes(_ first: RunRecord, _ second: RunRecord) -> Bool {
        let (first, second) = isOldestFirst ? (first, second) : (second, first)
        return (order.key(of: first), first.openedSequence) < (order.key(of: second), second.openedSequence)
    }

    /// The query of the runs that follow one in the list.
    package func following(_ record: RunRecord) -> RunQuery {
        var query = self
        switch (order, isOldestFirst) {
        case (.started, false): query.before = record.openedSequence
        case (.started, true): query.after = record.openedSequence
        case (.duration, _), (.phase, _): query.beyond = order.place(of: record)
        }
        return query
    }

    private func isBeyond(_ record: RunRecord) -> Bool {
        guard let beyond, order != .started else { return true }
        let (key, last) = ((order.key(of: record), record.openedSequence), (beyond.key, beyond.opened))
        return isOldestFirst ? key > last : key < last
    }

    /// Whether a record satisfies everything but the text and the limit.
    package func matches(_ record: RunRecord) -> Bool {
        (operation == nil || record.operation == operation)
            && operations.map { $0.contains(record.operation) } ?? true
            && (phase == nil || record.state.phase == phase)
            && (actor == nil || record.opening.actor == actor)
            && startedAfter.map { record.startedAt >= $0 } ?? true
            && startedBefore.map { record.startedAt < $0 } ?? true
            && isImported.map { (record.origin != nil) == $0 } ?? true
            && before.map { record.openedSequence < $0 } ?? true
            && after.map { record.openedSequence > $0 } ?? true
            && isBeyond(record)
    }
}
