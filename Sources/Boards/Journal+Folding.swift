import Journals

extension Journal {
    /// A store as it stood after its last change at or before a sequence, with as much of its log as is kept.
    func view(of store: StoreEntry, through sequence: Int64) async throws -> StoreView {
        StoreView(
            store,
            changes: try await newestChanges(of: .store(store.id), through: sequence, limit: StoreView.logLimit))
    }

    /// A run as it stood after its last change at or before a sequence; nil when it had not begun or is not kept.
    func view(of run: String, through sequence: Int64?) async throws -> RunView? {
        let page = 1_000
        var view: RunView?
        var after: Int64 = 0
        while true {
            let changes = try await changes(of: .run(run), after: after, through: sequence, limit: page)
            for change in changes { view = view?.applying(change) ?? RunView(opening: change) }
            guard changes.count == page, let last = changes.last else { return view }
            after = last.sequence
        }
    }
}
