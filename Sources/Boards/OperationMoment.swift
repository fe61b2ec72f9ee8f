public import Journals

/// An operation at a moment of its past: as it stood then, and where to go from there.
public struct OperationMoment: Sendable {
    /// The operation as it stood.
    public let operation: OperationView
    /// The operation's change that led to it.
    public let change: Change
    /// The run that was its newest then, as it stands now; nil when it is not kept.
    public let newest: RunView?
    /// The sequence of the operation's change before; nil when none is kept.
    public let previous: Int64?
    /// The sequence of the operation's change after; nil when there is none yet.
    public let next: Int64?

    /// Makes a moment of its parts.
    public init(operation: OperationView, change: Change, newest: RunView?, previous: Int64?, next: Int64?) {
        self.operation = operation
        self.change = change
        self.newest = newest
        self.previous = previous
        self.next = next
    }
}
