import WeirFlows
import WeirJournals

extension Feed {
    /// Takes the runs out of the lists of pages that the journal keeps no more, so that no page links to them, and takes
    /// note of the gaps that they leave.
    ///
    /// Called while nothing is published.
    func forgetRemoved(from journal: any Journal) async throws {
        var gone: Set<String> = []
        for id in board.listedRuns.union(machine.withLock { $0.live.keys }) where try await journal.run(id) == nil {
            gone.insert(id)
        }
        if !gone.isEmpty { forget(gone) }
        try await noteRemovals(in: journal)
    }

    /// Takes note of what the journal has removed, so that who stands before it is told of a gap.
    func noteRemovals(in journal: any Journal) async throws {
        var removed: [Topic: SequenceNumber] = [:]
        for topic in machine.withLock({ $0.thinnedTopics }) { removed[topic] = try await journal.floor(of: topic) }
        guard let last = removed.values.max(), last > 0 else { return }
        let head = head(of: .board)
        // Another server may have recorded something in between that is kept and comes later.
        let isWhole = try await journal.changes(of: .board, after: head, through: last, limit: 1).isEmpty
        note(removed, published: isWhole ? max(head, last) : head)
    }

    /// Fills the lists of pages again from the journal, after runs that had pushed others out of them were taken out.
    ///
    /// Called while nothing is published.
    func refillLists(from journal: any Journal) async throws {
        var lists: [String: [RunView]] = [:]
        for operation in board.operations {
            var query = RunQuery(operation: operation.id, isImported: false, limit: OperationView.recentLimit)
            var records = try await journal.runs(query).runs
            query.isImported = true
            query.limit -= records.count
            if query.limit > 0 { records += try await journal.runs(query).runs }
            lists[operation.id] = try await views(of: records, in: journal)
        }
        let newest = try await journal.runs(RunQuery(limit: BoardView.recentLimit)).runs
        let recent = try await views(of: newest, in: journal)
        rewriteBoards { [lists] board in board.listing(lists, recent: recent) }
    }

    private func views(of records: [RunRecord], in journal: any Journal) async throws -> [RunView] {
        var views: [RunView] = []
        for record in records {
            if let known = run(record.id) {
                views.append(known)
            } else if let view = try await journal.view(of: record.id, through: nil) {
                views.append(view)
            }
        }
        return views
    }
}

extension BoardView {
    /// The ids of the runs in its lists.
    var listedRuns: Set<String> { Set((operations.flatMap(\.recent) + recentRuns).map(\.record.id)) }

    /// The view with other lists of runs.
    fileprivate func listing(_ lists: [String: [RunView]], recent: [RunView]) -> BoardView {
        BoardView(
            sequence: sequence,
            operations: operations.map {
                OperationView(id: $0.id, recent: lists[$0.id] ?? $0.recent, activeRuns: $0.activeRuns)
            }, recentRuns: recent, stores: stores)
    }

    /// The view without some runs; `active` names the operation of each of them that has not ended.
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
