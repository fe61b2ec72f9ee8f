/// Where a state is in the life cycle of its work.
///
/// Pages, filters and retention use the phase, because they do not know a state's own type.
public enum Phase: String, Codable, Sendable, Hashable, CaseIterable {
    /// Nothing has begun, or there is nothing to do.
    case idle
    /// Work is in progress.
    case active
    /// The work achieved its purpose.
    case succeeded
    /// The work did not achieve its purpose, and the state says why.
    case failed
    /// The work was cancelled. Never an error.
    case cancelled
    /// The process ended before the work did.
    case interrupted

    /// Whether work in this phase is over for good.
    public var isEnded: Bool {
        switch self {
        case .idle, .active: false
        case .succeeded, .failed, .cancelled, .interrupted: true
        }
    }
}
