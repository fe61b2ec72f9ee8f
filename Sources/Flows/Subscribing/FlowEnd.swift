/// Why a subscriber gets no more values.
public enum FlowEnd: Sendable, Hashable {
    /// The flow was sealed, and everything that was still pending for this subscriber has been given to it.
    case finished
    /// The subscriber was cancelled: its task, its scope, or its subscription.
    case cancelled
    /// The subscriber's buffer was full under ``Overflow/fail``; so many values were not given to it.
    case overflowed(dropped: Int)
}
