/// An operation as it was at one change: its latest runs.
package final class OperationView: Sendable {
    /// The operation's id.
    package let id: String
    /// Its latest runs, at most ten: those that were started here, newest first, then imported ones; the first is what its
    /// card shows.
    package let recent: [RunView]
    /// How many of its runs had not ended.
    package let activeRuns: Int

    /// Creates a view from its parts.
    package init(id: String, recent: [RunView] = [], activeRuns: Int = 0) {
        self.id = id
        self.recent = recent
        self.activeRuns = activeRuns
    }

    /// The run that its card shows: the newest.
    package var latest: RunView? { recent.first }
}
