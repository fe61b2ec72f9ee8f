/// What happens to a value for which a subscriber's buffer has no room.
public enum Overflow: Sendable, Hashable {
    /// The oldest waiting value goes, the new one comes in: the subscriber has the latest ones.
    case dropOldest
    /// The new value is left out: the subscriber has the earliest ones, and may miss the last.
    case dropNewest
    /// The subscription ends, alone, with ``FlowEnd/overflowed(dropped:)`` once the waiting values are taken.
    case fail
}
