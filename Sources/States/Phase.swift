/// Where a state stands in the life of the work it belongs to.
///
/// A phase is what pages, filters and retention go by when they know nothing of a state's own type.
public enum Phase: String, Codable, Sendable, Hashable, CaseIterable {
    /// Nothing has begun, or there is nothing to do.
    case idle
    /// Work is going on.
    case active
    /// The work ended with what it was for.
    case succeeded
    /// The work ended without what it was for, and the state says why.
    case failed
    /// The work was asked to stop, and stopped. Never an error.
    case cancelled
    /// The process that did the work ended before the work did.
    case interrupted

    /// Whether work in this phase is over for good.
    public var isEnded: Bool {
        switch self {
        case .idle, .active: false
        case .succeeded, .failed, .cancelled, .interrupted: true
        }
    }
}
