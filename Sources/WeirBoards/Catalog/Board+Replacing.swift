import WeirFlows
import WeirJournals

extension Board {
    /// Replaces the catalog.
    ///
    /// An active or queued run keeps the operation that it was started with. New operations include the runs that the
    /// journal has of them; the runs of removed operations stay in the journal. Schedules begin, change and end with
    /// their operations. The stores do not change.
    ///
    /// - Parameters:
    ///   - catalog: The complete new catalog.
    ///   - drainTimeout: The new drain timeout of a shutdown, or nil to keep the current one.
    /// - Throws: `JournalError` if the journal cannot be read; nothing has changed then.
    package func replace(_ catalog: Catalog, drainTimeout: Duration? = nil) async throws {
        try await replacing.withLock {
            let before = self.catalog
            let new = catalog.entries.filter { before[$0.id] == nil }.map(\.id)
            var views: [String: [RunView]] = [:]
            for id in new { views[id] = try await newestRuns(of: id) }
            let changed = catalog.entries.filter { $0.declaration?.digest != before[$0.id]?.declaration?.digest }
            if let drainTimeout { self.drainTimeout.withLock { $0 = drainTimeout } }
            // Before runs of the new version can start.
            if !follows { await versions.record(catalog) }
            launcher.take(catalog)
            foreignOutput?.take(catalog)
            reported.resize(operations: catalog.entries.count)
            feed.list(catalog.entries.map(\.id), recent: views)
            watching.take(catalog, changed: Set(changed.map(\.id)), following: feed)
            await scheduler.take(catalog.scheduledStarts)
        }
    }

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
    /// Replaces the listed operations; `recent` contains the newest runs of the new ones.
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
