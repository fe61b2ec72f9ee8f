package import WeirJournals

/// A run at a moment of its past: as it was then, as it is, and where to go from there.
package struct RunMoment: Sendable {
    /// The run as it was.
    package let run: RunView
    /// The run as it is.
    package let newest: RunView
    /// The sequence of the run's change before; nil if the moment is its first.
    package let previous: SequenceNumber?
    /// The sequence of the run's change after; nil if there is none yet.
    package let next: SequenceNumber?

    /// Creates a moment from its parts.
    package init(run: RunView, newest: RunView, previous: SequenceNumber?, next: SequenceNumber?) {
        self.run = run
        self.newest = newest
        self.previous = previous
        self.next = next
    }
}
