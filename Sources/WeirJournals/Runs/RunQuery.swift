package import WeirStates

/// A filter, order and page of a list of runs; newest first by default.
package struct RunQuery: Sendable, Hashable {
    package var operation: String?
    /// Only runs of one of these operations, in addition to `operation`; nil for all.
    package var operations: Set<String>?
    package var phase: Phase?
    package var actor: String?
    /// Only runs whose id, input, last state, operation name or, once ended, output contains all these terms, in any
    /// order, as parsed by `SearchQuery`.
    package var text: String?
    /// The display names of operations by id; a term that occurs in a name matches the operation's runs.
    package var operationNames: [String: String] = [:]
    /// Only runs started at this time or later.
    package var startedAfter: Timestamp?
    /// Only runs started before this time.
    package var startedBefore: Timestamp?
    /// Only runs with one of these attempts; nil for all.
    package var attempts: ClosedRange<Int64>?
    /// Only imported runs, or only runs started here; nil for both.
    package var isImported: Bool?
    /// Only runs opened before this sequence: the end of the previous page.
    package var before: SequenceNumber?
    /// Only runs opened after this sequence: the end of the previous page, if the oldest come first.
    package var after: SequenceNumber?
    package var order = RunOrder.started
    /// The end of the previous page, in any order except by start, which uses `before` and `after`.
    package var beyond: RunOrder.Place?
    /// The moment at which runs are ordered by duration and phase, so that a run that ends between two pages keeps its
    /// place; nil for their latest state, in which an active run sorts as the longest.
    package var asOf: RunOrder.Moment?
    /// Whether the list is ascending: the oldest runs, or the least key of the order, first.
    package var isOldestFirst = false
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

package struct RunPage: Sendable, Hashable {
    package let runs: [RunRecord]
    /// The `before`, or `after` if the oldest come first, of the next page; nil on the last page.
    package let next: SequenceNumber?

    package init(runs: [RunRecord], next: SequenceNumber?) {
        self.runs = runs
        self.next = next
    }
}

extension RunQuery {
    /// The terms of the text; nil if it is blank.
    ///
    /// Without terms, no run matches.
    package var search: SearchQuery? {
        guard let text, text.contains(where: { !$0.isWhitespace }) else { return nil }
        return SearchQuery(text, operationNames: operationNames)
    }

    /// Whether the first of two different runs precedes the second in the list.
    package func precedes(_ first: RunRecord, _ second: RunRecord) -> Bool {
        let (first, second) = isOldestFirst ? (first, second) : (second, first)
        return (key(of: first), first.openedSequence) < (key(of: second), second.openedSequence)
    }

    /// The conditions on the numbers of a run, as SQL for the table `runs r` with `#` for the value.
    package var comparisons: [(condition: String, value: Int64)] {
        [
            ("r.started >= #", startedAfter?.milliseconds), ("r.started < #", startedBefore?.milliseconds),
            ("r.opened < #", before?.rawValue), ("r.opened > #", after?.rawValue),
            // The literal is the condition of an index.
            ("r.attempt > 1 AND r.attempt >= #", attempts.flatMap { $0.lowerBound > 1 ? $0.lowerBound : nil }),
            ("r.attempt <= #", attempts?.upperBound),
        ].compactMap { condition, value in value.map { (condition: condition, value: $0) } }
    }

    /// The query for the runs after a given one.
    package func following(_ record: RunRecord) -> RunQuery {
        var query = self
        switch (order, isOldestFirst) {
        case (.started, false): query.before = record.openedSequence
        case (.started, true): query.after = record.openedSequence
        case (.duration, _), (.phase, _): query.beyond = place(of: record)
        }
        return query
    }

    private func key(of record: RunRecord) -> Int64 { order.key(of: record, asOf: asOf) }

    /// The end of a page whose last run is the given one.
    package func place(of record: RunRecord) -> RunOrder.Place {
        RunOrder.Place(key: key(of: record), opened: record.openedSequence, asOf: order == .started ? nil : asOf)
    }

    private func isBeyond(_ record: RunRecord) -> Bool {
        guard let beyond, order != .started else { return true }
        let (key, last) = ((key(of: record), record.openedSequence), (beyond.key, beyond.opened))
        return isOldestFirst ? key > last : key < last
    }

    package func matches(_ record: RunRecord) -> Bool {
        (operation == nil || record.operation == operation)
            && operations.map { $0.contains(record.operation) } ?? true
            && (phase == nil || record.state.phase == phase)
            && (actor == nil || record.opening.actor == actor)
            && startedAfter.map { record.startedAt >= $0 } ?? true
            && startedBefore.map { record.startedAt < $0 } ?? true
            && attempts.map { $0.contains(record.opening.attempt) } ?? true
            && isImported.map { (record.origin != nil) == $0 } ?? true
            && before.map { record.openedSequence < $0 } ?? true
            && after.map { record.openedSequence > $0 } ?? true
            && isBeyond(record)
    }
}

/// The sort order of a list of runs; ties are ordered by start.
package enum RunOrder: String, Sendable, Hashable, CaseIterable {
    case started
    /// By duration; for an active run, the time so far.
    case duration
    /// By phase, in the order of `Phase`.
    case phase

    /// The sort key of a run, as of a moment or in its latest state.
    ///
    /// As of a moment, the key of a run never changes: whether its end was recorded by then is settled.
    package func key(of record: RunRecord, asOf: Moment? = nil) -> Int64 {
        let endedAt = record.endedAt.flatMap { end in asOf.map { record.sequence > $0.head } == true ? nil : end }
        switch self {
        case .started: return record.openedSequence.rawValue
        case .duration: return (endedAt ?? asOf?.at).map { $0 - record.startedAt } ?? .max
        case .phase:
            let phase = endedAt == nil && asOf != nil ? .active : record.state.phase
            return Int64(Phase.allCases.firstIndex(of: phase) ?? 0)
        }
    }

    /// A moment of the journal.
    package struct Moment: Sendable, Hashable {
        /// The time that active runs have taken so far ends here.
        package let at: Timestamp
        /// The last sequence by then: runs whose end was recorded later are active, also if they ended before `at`, as
        /// reports that arrive late and servers with other clocks say.
        package let head: SequenceNumber

        package init(at: Timestamp, head: SequenceNumber) {
            self.at = at
            self.head = head
        }
    }

    /// A position in a sorted list, after a run.
    package struct Place: Sendable, Hashable {
        /// The sort key of that run.
        package let key: Int64
        /// The sequence at which that run was opened.
        package let opened: SequenceNumber
        /// The moment for which the list is sorted, or nil.
        package let asOf: Moment?

        package init(key: Int64, opened: SequenceNumber, asOf: Moment? = nil) {
            self.key = key
            self.opened = opened
            self.asOf = asOf
        }

        /// Parses the form of `description`, such as `42.42` or `1500.42.1795219200000.97`; nil for any other text.
        package init?(_ text: String) {
            let parts = text.split(separator: ".", omittingEmptySubsequences: false)
            guard [2, 4].contains(parts.count), let key = Int64(parts[0]), let opened = SequenceNumber(parts[1])
            else { return nil }
            var asOf: Moment?
            if parts.count == 4 {
                guard let at = Int64(parts[2]), let head = SequenceNumber(parts[3]) else { return nil }
                asOf = Moment(at: Timestamp(milliseconds: at), head: head)
            }
            self.init(key: key, opened: opened, asOf: asOf)
        }

        /// The encoding for URLs.
        package var description: String {
            "\(key).\(opened)" + (asOf.map { ".\($0.at.milliseconds).\($0.head)" } ?? "")
        }
    }
}

package struct RunCount: Sendable, Hashable {
    package let operation: String
    package let phase: Phase
    package let count: Int

    package init(operation: String, phase: Phase, count: Int) {
        self.operation = operation
        self.phase = phase
        self.count = count
    }
}

package struct AttemptCount: Sendable, Hashable {
    package let operation: String
    package let attempt: Int64
    package let count: Int

    package init(operation: String, attempt: Int64, count: Int) {
        self.operation = operation
        self.attempt = attempt
        self.count = count
    }
}
