import States

/// What somebody decided about a run from outside of its own states: the first decision stands.
enum RunVerdict: Sendable {
    case cancelled(CancellationCause)
    case failed(any Error)

    /// The state in which a run that was in `last` ends by this verdict; an end reached before it stands.
    func state<State: OperationState>(from last: State) -> State {
        if last.phase.isEnded { return last }
        return switch self {
        case .cancelled: .cancelled(from: last)
        case .failed(let error): .failed(error)
        }
    }
}
