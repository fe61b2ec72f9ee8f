/// A run at a moment of its past: as it stood then, as it stands, and where to go from there.
public struct RunMoment: Sendable {
    /// The run as it stood.
    public let run: RunView
    /// The run as it stands.
    public let newest: RunView
    /// The sequence of the run's change before; nil when the moment is its first.
    public let previous: Int64?
    /// The sequence of the run's change after; nil when there is none yet.
    public let next: Int64?

    /// Makes a moment of its parts.
    public init(run: RunView, newest: RunView, previous: Int64?, next: Int64?) {
        self.run = run
        self.newest = newest
        self.previous = previous
        self.next = next
    }
}
