/// What one subscriber is given when values come faster than it takes them.
///
/// It is the subscriber's choice, never the flow's: a flow can have subscribers of every kind at once, and none of them
/// slows a writer down. Whichever is chosen, the current value comes first and values come in the order in which they
/// were committed.
public enum DeliveryPolicy: Sendable, Hashable {
    /// Only the latest value counts: a slow subscriber skips what came between, and always gets the last one.
    ///
    /// A value equal to the one it saw last is not given to it again, even when there were others between. Costs no
    /// memory but a reference to the value it saw last.
    case conflated

    /// Every committed value, in order, none left out.
    ///
    /// All lossless subscribers of a flow share one log, which reaches back as far as the slowest of them; what that one
    /// has not read yet is kept without bound, and let go as soon as it has read it or left.
    case lossless

    /// At most so many values wait; what happens to one more is up to the rule.
    ///
    /// The count is at least 1; a smaller one is taken as 1.
    case buffered(Int, onOverflow: Overflow)
}
