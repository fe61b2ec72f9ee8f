/// How a run ended.
public enum RunOutcome: Sendable {
    /// With what it was for.
    case succeeded
    /// With an error, in its own type.
    case failed(any Error)
    /// Because it was asked to stop.
    case cancelled(CancellationCause)
}
