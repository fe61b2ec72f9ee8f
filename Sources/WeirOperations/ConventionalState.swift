public import WeirStates

/// Custom states that start and end with the conventional cases, from which everything else is derived.
///
/// ```swift
/// enum CountdownState: ConventionalState {
///     case waiting
///     case counting(progress: WorkProgress)
///     case succeeded
///     case failed(message: String)
///     case cancelled
///
///     static let ownSamples: [Self] = [.counting(progress: WorkProgress(3, of: 10)), .succeeded]
/// }
/// ```
/// A run starts in `waiting` and ends in `succeeded` (a case of that name, with any payload), `failed` or `cancelled`; in every
/// other case it is active. The progress is the first `WorkProgress` in the payload. The samples are `ownSamples` and one of
/// each case required here. Implement a member of `OperationState` to override the derived one.
public protocol ConventionalState: OperationState {
    /// The run has not started.
    static var waiting: Self { get }
    /// The work failed; the message is a sentence for the user.
    static func failed(message: String) -> Self
    /// The run was cancelled.
    static var cancelled: Self { get }
    /// At least one value of every other case, including `succeeded`.
    static var ownSamples: [Self] { get }
}

extension ConventionalState {
    /// The case `waiting`.
    public static var initial: Self { waiting }

    /// The case `failed` with the error's explanation, which is safe to show to every user.
    public static func failed(_ error: any Error) -> Self { failed(message: error.explanation) }

    /// The case `cancelled`.
    public static func cancelled(from last: Self) -> Self { cancelled }

    /// The samples of all cases.
    public static var samples: [Self] {
        [waiting] + ownSamples + [failed(message: "An example of a reason."), cancelled]
    }

    /// `idle` in `waiting`, ended in `succeeded`, `failed` and `cancelled`, and `active` in every other case.
    public var phase: Phase {
        switch caseName(of: self) {
        case "waiting": .idle
        case "succeeded": .succeeded
        case "failed": .failed
        case "cancelled": .cancelled
        default: .active
        }
    }

    /// The first `WorkProgress` in the case's payload.
    public var progress: WorkProgress? {
        guard let carried = Mirror(reflecting: self).children.first?.value else { return nil }
        // A payload with several values or with a label is reflected as a tuple.
        return carried as? WorkProgress
            ?? Mirror(reflecting: carried).children.compactMap { $0.value as? WorkProgress }.first
    }
}

private func caseName(of state: Any) -> String {
    Mirror(reflecting: state).children.first?.label ?? "\(state)"
}
