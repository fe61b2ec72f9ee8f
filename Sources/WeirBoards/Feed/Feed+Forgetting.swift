import WeirFlows
import WeirJournals

extension Feed {
    /// Removes from the lists of pages the runs that the journal has removed, and notes the resulting gaps.
    ///
    /// Must not overlap with a publication.
    func forgetRemoved(from journal: any Journal) async throws {
        var gone: Set<String> = []
        for id in board.listedRuns.union(machine.withLock { $0.live.keys }) where try await journal.run(id) == nil {
            gone.insert(id)
        }
        if !gone.isEmpty { forget(gone) }
        try await noteRemovals(in: journal)
    }

    /// Notes the removals in the journal, so that readers whose cursors precede them get a gap.
    func noteRemovals(in journal: any Journal) async throws {
        var removed: [Topic: SequenceNumber] = [:]
        var pruned: [Topic: SequenceNumber] = [:]
        for topic in machine.withLock({ $0.thinnedTopics }) {
            removed[topic] = try await journal.floor(of: topic)
            pruned[topic] = try await journal.pruned(of: topic)
        }
        guard let last = removed.values.max(), last > 0 else { return }
        let head = head(of: .board)
        // Another server may have recorded changes in between that are kept and not published yet.
        let isWhole = try await journal.changes(of: .board, after: head, through: last, limit: 1).isEmpty
        let published = isWhole ? max(head, last) : head
        note(pruned, published: published)
        note(removed, published: published, isDeletion: true)
    }

    /// Removes deleted runs, and advances to the last deletion, so that the readers of their topics start over.
    ///
    /// All changes before the last deletion must be published. Must not overlap with a publication.
    func forget(_ deletions: [RunDeletion], from journal: any Journal) async throws {
        guard let last = deletions.last?.sequence else { return }
        let runs = Set(deletions.map(\.run))
        let operations = Set(deletions.map(\.operation))
        // Before the runs are forgotten, so that a repetition after a failure refills the lists, too.
        if !board.listedRuns.isDisjoint(with: runs) {
            try await refillLists(from: journal, of: operations, through: last)
        }
        forget(runs)
        var removed = Dictionary(deletions.map { (Topic.operation($0.operation), $0.sequence) }, uniquingKeysWith: max)
        removed[.board] = last
        note(removed, published: last, isDeletion: true)
    }

    /// Refills the lists of pages from the journal, after the removal of runs that had displaced others.
    ///
    /// Must not overlap with a publication. By default, refills the lists of all operations, also with runs that are
    /// not published yet.
    func refillLists(
        from journal: any Journal, of operations: Set<String>? = nil, through last: SequenceNumber? = nil
    ) async throws {
        var lists: [String: [RunView]] = [:]
        for operation in board.operations where operations?.contains(operation.id) ?? true {
            var query = RunQuery(
                operation: operation.id, isImported: false, before: last?.next, limit: OperationView.recentLimit)
            var records = try await journal.runs(query).runs
            query.isImported = true
            query.limit -= records.count
            if query.limit > 0 { records += try await journal.runs(query).runs }
            lists[operation.id] = try await views(of: records, in: journal, through: last)
        }
        let newest = try await journal.runs(RunQuery(before: last?.next, limit: BoardView.recentLimit)).runs
        let recent = try await views(of: newest, in: journal, through: last)
        rewriteBoards { [lists] board in board.listing(lists, recent: recent) }
    }

    private func views(
        of records: [RunRecord], in journal: any Journal, through last: SequenceNumber?
    ) async throws -> [RunView] {
        var views: [RunView] = []
        for record in records {
            if let known = run(record.id) {
                views.append(known)
            } else if let view = try await journal.view(of: record.id, through: last) {
                views.append(view)
            }
        }
        return views
    }
}

extension BoardView {
    var listedRuns: Set<String> { Set((operations.flatMap(\.recent) + recentRuns).map(\.record.id)) }

    fileprivate func listing(_ lists: [String: [RunView]], recent: [RunView]) -> BoardView {
        BoardView(
            sequence: sequence,
            operations: operations.map {
                OperationView(id: $0.id, recent: lists[$0.id] ?? $0.recent, activeRuns: $0.activeRuns)
            }, recentRuns: recent, stores: stores)
    }

    /// The view without some runs; `active` contains the operation of each of them that has not ended.
    func without(_ runs: Set<String>, active: [String]) -> BoardView {
        BoardView(
            sequence: sequence,
            operations: operations.map { operation in
                operation.without(runs, active: active.count { $0 == operation.id })
            },
            recentRuns: recentRuns.filter { !runs.contains($0.record.id) }, stores: stores)
    }
}

extension OperationView {
    fileprivate func without(_ runs: Set<String>, active: Int) -> OperationView {
        OperationView(
            id: id, recent: recent.filter { !runs.contains($0.record.id) }, activeRuns: max(0, activeRuns - active))
    }
}
