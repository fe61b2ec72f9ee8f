public import WeirStates

/// States of an operation's own that begin and end with the usual cases, so that all else about them is derived.
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
/// A run begins in `waiting` and ends in `succeeded` (a case of that name, with whatever it carries), `failed` or
/// `cancelled`; in every other case it is active. The progress is the first `WorkProgress` that the case carries, and the
/// samples are `ownSamples` with one each of the three cases named here. Implement a member of `OperationState` to
/// replace what is derived.
public protocol ConventionalState: OperationState {
    /// The run has not begun.
    static var waiting: Self { get }
    /// The work could not be done; the message is a sentence for people.
    static func failed(message: String) -> Self
    /// The run was asked to stop, and stopped.
    static var cancelled: Self { get }
    /// One value at least of every other case: `succeeded`, and all that come before it.
    static var ownSamples: [Self] { get }
}

extension ConventionalState {
    /// `waiting`.
    public static var initial: Self { waiting }

    /// `failed`, with the error in words that may be shown to anybody.
    public static func failed(_ error: any Error) -> Self { failed(message: error.explanation) }

    /// `cancelled`.
    public static func cancelled(from last: Self) -> Self { cancelled }

    /// The samples of all cases.
    public static var samples: [Self] {
        [waiting] + ownSamples + [failed(message: "An example of a reason."), cancelled]
    }

    /// Idle in `waiting`, ended in `succeeded`, `failed` and `cancelled`, active in every other case.
    public var phase: Phase {
        switch caseName(of: self) {
        case "waiting": .idle
        case "succeeded": .succeeded
        case "failed": .failed
        case "cancelled": .cancelled
        default: .active
        }
    }

    /// The first `WorkProgress` that the case carries.
    public var progress: WorkProgress? {
        guard let carried = Mirror(reflecting: self).children.first?.value else { return nil }
        // Several values of a case, and one with a label, are a tuple.
        return carried as? WorkProgress
            ?? Mirror(reflecting: carried).children.lazy.compactMap { $0.value as? WorkProgress }.first
    }
}

/// The name of an enum's case, as it is written in Swift.
private func caseName(of state: Any) -> String {
    Mirror(reflecting: state).children.first?.label ?? "\(state)"
}
