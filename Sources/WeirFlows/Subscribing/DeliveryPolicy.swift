/// How values are delivered to a subscriber that is slower than the flow.
///
/// The policy is the subscriber's choice: a flow can have subscribers of every kind at once, and none of them delays
/// a writer. With every policy, the current value arrives first and values arrive in the order in which they were
/// committed.
public enum DeliveryPolicy: Sendable, Hashable {
    /// Only the latest value: a slow subscriber skips intermediate values, and always receives the last one.
    ///
    /// It does not receive a value equal to the one it saw last, even if it skipped others in between. It costs no
    /// memory except a reference to that value.
    case conflated

    /// Every committed value, in order, without omissions.
    ///
    /// All lossless subscribers of a flow share one log, which reaches back to the slowest of them. Its unread values
    /// are kept without limit, and released once it has read them or left.
    case lossless

    /// At most this many values wait; the rule applies to further ones.
    ///
    /// The count is at least 1; a smaller one is raised to 1.
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
