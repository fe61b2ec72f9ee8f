package import WeirJournals

extension Board {
    /// A run at a past moment, from memory or by one query of the journal.
    ///
    /// The moment is the run's last change at or before `sequence`. Throws `unknownRun`, `unknownMoment` if the run had
    /// not begun, and `unavailable`.
    package func moment(of id: String, at sequence: SequenceNumber) async throws(BoardError) -> RunMoment {
        if let found = feed.moment(of: .run(id), through: sequence), let run = found.publication.run,
            let newest = feed.run(id)
        {
            return RunMoment(run: run, newest: newest, previous: found.previous, next: found.next)
        }
        guard
            let past = try await read({
                try await journal.past(of: id, at: sequence, transitions: RunView.transitionLimit)
            }), let newest = RunView(opening: past.opening, at: past.newest)
        else { throw await missing(id) }
        guard let point = past.standing, let run = RunView(opening: past.opening, at: point) else {
            throw .notBegun(id, opened: past.opening.sequence, at: sequence)
        }
        return RunMoment(run: run, newest: newest, previous: past.previous, next: past.next)
    }

    /// The sequence of the run's last change within `offset` milliseconds of its beginning, found by binary search.
    ///
    /// Throws `unknownRun`, and `unavailable` if the journal cannot be read.
    package func sequence(of id: String, after offset: Int64) async throws(BoardError) -> SequenceNumber {
        let run = try await view(of: id)
        let (time, isOver) = run.record.startedAt.milliseconds.addingReportingOverflow(offset)
        guard !isOver else { return run.record.sequence }
        let later = run.transitions.first { $0.at.milliseconds > time }?.sequence ?? run.record.sequence.next
        var low = run.transitions.last { $0.sequence < later }?.sequence ?? run.record.openedSequence
        var high = later.previous
        while low < high {
            let middle = low.advanced(by: (low.distance(to: high) + 1) / 2)
            let change = try await read { try await lastChange(of: .run(id), through: middle) }
            guard let change, change.sequence > low else {
                low = middle
                continue
            }
            if change.at.milliseconds <= time { low = middle } else { high = change.sequence.previous }
        }
        return try await read { try await lastChange(of: .run(id), through: low) }?.sequence
            ?? run.record.openedSequence
    }

    private func lastChange(of topic: Topic, through sequence: SequenceNumber) async throws -> Change? {
        if let found = feed.moment(of: topic, through: sequence) { return found.publication.change }
        return try await journal.lastChange(of: topic, through: sequence)
    }

    /// An operation at a past moment, from memory or by a bounded number of queries of the journal.
    ///
    /// The moment is the operation's last change at or before `sequence`. Throws `unknownOperation`, `unknownMoment`
    /// before its first change or if changes up to the moment were removed, and `unavailable`.
    package func moment(ofOperation id: String, at sequence: SequenceNumber) async throws(BoardError) -> OperationMoment
    {
        guard catalog[id] != nil else { throw .unknownOperation(id) }
        let topic = Topic.operation(id)
        if let found = feed.moment(of: topic, through: sequence),
            let view = found.publication.board.operation(id)
        {
            var newest: RunView?
            if let latest = view.latest { newest = try await self.view(of: latest.record.id) }
            return OperationMoment(
                operation: view, change: found.publication.change, newest: newest, previous: found.previous,
                next: found.next)
        }
        return try await read { () -> Result<OperationMoment, BoardError> in
            let floor = try await journal.pruned(of: topic)
            guard sequence >= floor else { return .failure(.forgotten(id, floor: floor, at: sequence)) }
            let change = try await journal.lastChange(of: topic, through: sequence)
            let after = try await journal.changes(of: topic, after: sequence, through: nil, limit: 1).first
            guard let change else { return .failure(.notBegun(operation: id, first: after?.sequence, at: sequence)) }
            let before = try await journal.lastChange(of: topic, through: change.sequence.previous)
            let (view, newest) = try await operation(id, at: sequence)
            return .success(
                OperationMoment(
                    operation: view, change: change, newest: newest,
                    previous: before.flatMap { $0.sequence > floor ? $0.sequence : nil }, next: after?.sequence))
        }.get()
    }

    /// An operation after a change, and the current view of the run that was its newest then, from the journal.
    private func operation(_ id: String, at sequence: SequenceNumber) async throws -> (OperationView, RunView?) {
        let query = RunQuery(operation: id, before: sequence.next, limit: OperationView.recentLimit)
        var recent: [RunView] = []
        var newest: RunView?
        for record in try await journal.runs(query).runs {
            // A list entry suffices, except for the newest run and for runs that have changed since.
            guard recent.isEmpty || record.sequence > sequence else {
                recent.append(RunView(record: record, transitions: [], omittedTransitions: 0))
                continue
            }
            guard
                let past = try await journal.past(
                    of: record.id, at: sequence, transitions: RunView.transitionLimit),
                let point = past.standing, let view = RunView(opening: past.opening, at: point)
            else { continue }
            if recent.isEmpty { newest = RunView(opening: past.opening, at: past.newest) }
            recent.append(view)
        }
        let active = try await journal.activeRuns(of: id, at: sequence)
        return (OperationView(id: id, recent: recent, activeRuns: active), newest)
    }
}

/// A run at a past moment, with its current state and the adjacent changes.
package struct RunMoment: Sendable {
    package let run: RunView
    package let newest: RunView
    /// The sequence of the run's previous change, or nil at its first change.
    package let previous: SequenceNumber?
    /// The sequence of the run's next change, or nil at its last change.
    package let next: SequenceNumber?

    package init(run: RunView, newest: RunView, previous: SequenceNumber?, next: SequenceNumber?) {
        self.run = run
        self.newest = newest
        self.previous = previous
        self.next = next
    }
}

/// An operation at a past moment, with the adjacent changes.
package struct OperationMoment: Sendable {
    package let operation: OperationView
    package let change: Change
    /// The current view of the run that was its newest then, or nil if it is not kept.
    package let newest: RunView?
    /// The sequence of the operation's previous change, or nil if none is kept.
    package let previous: SequenceNumber?
    /// The sequence of the operation's next change, or nil at its last change.
    package let next: SequenceNumber?
}
