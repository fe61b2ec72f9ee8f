/// An operation as it stood at one change: its latest runs.
public final class OperationView: Sendable {
    /// The operation's id.
    public let id: String
    /// Its latest runs, at most ten: those that were started here, newest first, then imported ones; the first is what its
    /// card shows.
    public let recent: [RunView]
    /// How many of its runs had not ended.
    public let activeRuns: Int

    /// Makes a view of its parts.
    public init(id: String, recent: [RunView] = [], activeRuns: Int = 0) {
        self.id = id
        self.recent = recent
        self.activeRuns = activeRuns
    }

    /// The run that its card shows: the newest.
    public var latest: RunView? { recent.first }
}
