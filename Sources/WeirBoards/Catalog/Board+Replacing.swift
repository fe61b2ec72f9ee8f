import WeirFlows
import WeirJournals

extension Board {
    /// Runs the operations of another catalog from now on.
    ///
    /// A run that goes on keeps the operation that it was started with, also one that waits for its turn. Operations that
    /// are new bring the runs that the journal has of them; those that are gone stay in the journal. Schedules begin, change
    /// and end with their operations. Stores stay those that the board was opened with.
    ///
    /// - Parameters:
    ///   - catalog: What can be run, all of it.
    ///   - drainTimeout: How long a shutdown waits for runs from now on; nil for as long as before.
    /// - Throws: `JournalError` when the journal cannot be read; then nothing has changed.
    package func replace(_ catalog: Catalog, drainTimeout: Duration? = nil) async throws {
        try await replacing.withLock {
            let before = self.catalog
            let new = catalog.entries.filter { before[$0.id] == nil }.map(\.id)
            var views: [String: [RunView]] = [:]
            for id in new { views[id] = try await newestRuns(of: id) }
            let changed = catalog.entries.filter { $0.declaration?.digest != before[$0.id]?.declaration?.digest }
            if let drainTimeout { self.drainTimeout.withLock { $0 = drainTimeout } }
            launcher.take(catalog)
            foreignOutput?.take(catalog)
            reported.resize(operations: catalog.entries.count)
            feed.list(catalog.entries.map(\.id), recent: views)
            watching.take(catalog, changed: Set(changed.map(\.id)), following: feed)
            await scheduler.take(catalog.scheduledStarts)
        }
    }

    /// The latest runs of an operation, in the order of its list.
    private func newestRuns(of operation: String) async throws -> [RunView] {
        let limit = OperationView.recentLimit
        var query = RunQuery(operation: operation, isImported: false, limit: limit)
        var records = try await journal.runs(query).runs
        query.isImported = true
        query.limit = limit - records.count
        if query.limit > 0 { records += try await journal.runs(query).runs }
        var views: [RunView] = []
        for record in records {
            if let view = feed.run(record.id) {
                views.append(view)
            } else if let view = try await journal.view(of: record.id, through: nil) {
                views.append(view)
            }
        }
        return views
    }
}

extension Feed {
    /// Shows these operations from now on, in this order; `recent` are the latest runs of those that are new.
    fileprivate func list(_ operations: [String], recent: [String: [RunView]]) {
        let active = machine.withLock { machine in
            machine.know(operations)
            return machine.live.values.map(\.record.operation)
        }
        rewriteBoards { board in
            BoardView(
                sequence: board.sequence,
                operations: operations.map { id in
                    board.operation(id)
                        ?? OperationView(id: id, recent: recent[id] ?? [], activeRuns: active.count { $0 == id })
                }, recentRuns: board.recentRuns, stores: board.stores)
        }
    }
}
