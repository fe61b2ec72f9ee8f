/// Why somebody who waited for a change was let go.
enum HoldOutcome: Hashable, Sendable {
    /// There is a change.
    case published
    /// The time is over.
    case expired
    /// There is something to say that is no change.
    case interrupted
    /// The server shuts down.
    case drained
}
