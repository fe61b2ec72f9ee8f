/// What a subscriber receives when values arrive faster than it takes them.
///
/// The policy is the subscriber's choice, never the flow's: a flow can have subscribers of every kind at once, and none
/// of them slows a writer down. With every policy, the current value comes first and values arrive in the order in
/// which they were committed.
public enum DeliveryPolicy: Sendable, Hashable {
    /// Only the latest value counts: a slow subscriber skips the values in between, and always receives the last one.
    ///
    /// It does not receive a value equal to the one it saw last, even if there were others in between. It costs no
    /// memory except a reference to the value it saw last.
    case conflated

    /// Every committed value, in order, without omissions.
    ///
    /// All lossless subscribers of a flow share one log, which reaches back as far as the slowest of them. What that
    /// subscriber has not read yet is kept without limit, and released as soon as it has read it or left.
    case lossless

    /// At most this many values wait; the rule decides what happens to further ones.
    ///
    /// The count is at least 1; a smaller one counts as 1.
    case buffered(Int, onOverflow: Overflow)
}

/// What happens to a value that does not fit in a subscriber's buffer.
public enum Overflow: Sendable, Hashable {
    /// The oldest waiting value is dropped for the new one: the subscriber has the latest values.
    case dropOldest
    /// The new value is dropped: the subscriber has the earliest values, and may miss the last.
    case dropNewest
    /// Only this subscription ends, with ``FlowEnd/overflowed(dropped:)``, once the waiting values are taken.
    case fail
}
