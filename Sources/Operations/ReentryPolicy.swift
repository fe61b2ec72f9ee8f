/// What starting an operation does while a run of it is going.
public enum ReentryPolicy: String, Codable, Sendable, Hashable, CaseIterable {
    /// The run that is going is cancelled, and can publish no more; the new one starts.
    case cancelPrevious
    /// The starter is given the run that is going.
    case joinExisting
    /// The start is refused.
    case ignore
    /// The new run waits for the ones before it.
    case queue
    /// Both go side by side.
    case concurrent
}
