import WeirJournals

extension BoardView {
    /// How many runs the board's own list has at most.
    static let recentLimit = 25

    /// The view after the next change.
    ///
    /// - Parameters:
    ///   - change: The change.
    ///   - before: The change's run as it was before; nil if the change opens it.
    ///   - after: The run after the change.
    /// - Returns: The view as of the change.
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

    /// The view after the next change, which is a store's, or of no run and no store that is known.
    func applying(_ change: Change, store: StoreView?) -> BoardView {
        var stores = stores
        if let store, let index = stores.firstIndex(where: { $0.id == store.id }) { stores[index] = store }
        return BoardView(
            sequence: change.sequence, operations: operations, recentRuns: recentRuns, stores: stores)
    }
}

extension OperationView {
    /// How many runs an operation's list has at most.
    static let recentLimit = 10

    /// The view after a change of one of its runs.
    ///
    /// Imported runs stand behind those that were started here: what continues here is what the operation's card shows.
    func applying(before: RunView?, after: RunView) -> OperationView {
        OperationView(
            id: id, recent: recent.applying(after, isNew: before == nil, limit: Self.recentLimit, ownFirst: true),
            activeRuns: activeRuns + (after.isActive ? 1 : 0) - (before?.isActive == true ? 1 : 0))
    }
}

extension RunView {
    /// Whether the run continues.
    var isActive: Bool { record.endedAt == nil }

    /// Whether the run comes from another journal.
    var isImported: Bool { record.origin != nil }
}

extension [RunView] {
    /// The list, newest first, with a run's newer view in its place, or in front when the run is new.
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
