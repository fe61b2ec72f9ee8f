public import States

/// A change that no journal has given its place yet.
public struct ChangeDraft: Sendable, Hashable {
    /// The run or store it belongs to.
    public let stream: StreamID
    /// The id of the operation or store it is about.
    public let subject: String
    /// Its place in its own stream, from 0, without gaps.
    public let revision: Int64
    /// When it happened.
    public let at: Timestamp
    /// The state it led to.
    public let state: StateRecord
    /// Whether the case changed (or this is the first change), rather than only its payload (a tick).
    public let isTransition: Bool
    /// Who or what brought it about, where that is somebody's doing: an actor, an action, `cancelled by operator`.
    public let cause: String?
    /// What the run was started with; with revision 0 of a run's stream and nowhere else.
    public let opening: RunOpening?
    /// What a store's change came by; with every change of a store's stream and with no other.
    public let step: StoreStep?

    /// Makes a draft.
    public init(
        stream: StreamID, subject: String, revision: Int64, at: Timestamp, state: StateRecord, isTransition: Bool,
        cause: String? = nil, opening: RunOpening? = nil, step: StoreStep? = nil
    ) {
        self.stream = stream
        self.subject = subject
        self.revision = revision
        self.at = at
        self.state = state
        self.isTransition = isTransition
        self.cause = cause
        self.opening = opening
        self.step = step
    }
}
