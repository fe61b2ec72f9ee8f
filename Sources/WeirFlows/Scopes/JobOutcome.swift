/// How a job ended.
public enum JobOutcome: Sendable {
    /// Its body returned.
    case finished
    /// It was cancelled, before it began or while it ran.
    ///
    /// Never shown as an error.
    case cancelled
    /// Its body threw, without having been cancelled.
    case failed(any Error)

    /// Whether its body returned.
    public var isFinished: Bool { if case .finished = self { true } else { false } }

    /// Whether it was cancelled.
    public var isCancelled: Bool { if case .cancelled = self { true } else { false } }

    /// What its body threw, if it failed.
    public var error: (any Error)? { if case .failed(let error) = self { error } else { nil } }
}
