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
        guard let past = try await past(of: run, at: sequence, transitions: RunView.transitionLimit) else { return nil }
        return past.standing.flatMap { RunView(opening: past.opening, at: $0) }
    }
}
