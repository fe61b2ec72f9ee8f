package import WeirJournals

/// An operation at a moment of its past: as it was then, and where to go from there.
package struct OperationMoment: Sendable {
    /// The operation as it was.
    package let operation: OperationView
    /// The operation's change that led to it.
    package let change: Change
    /// The run that was its newest then, as it is now; nil if it is not kept.
    package let newest: RunView?
    /// The sequence of the operation's change before; nil if none is kept.
    package let previous: SequenceNumber?
    /// The sequence of the operation's change after; nil if there is none yet.
    package let next: SequenceNumber?

    /// Creates a moment from its parts.
    package init(
        operation: OperationView, change: Change, newest: RunView?, previous: SequenceNumber?, next: SequenceNumber?
    ) {
        self.operation = operation
        self.change = change
        self.newest = newest
        self.previous = previous
        self.next = next
    }
}
