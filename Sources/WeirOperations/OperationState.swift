public import WeirStates

/// The states an operation passes through: where it starts, and how a failure and a cancellation look.
///
/// Errors are states: a failure is a case that carries a sentence a person can act on.
public protocol OperationState: RecordableState {
    /// The state of a run before its work begins.
    static var initial: Self { get }
    /// The state of a run whose `perform` threw. The error keeps its type up to here.
    static func failed(_ error: any Error) -> Self
    /// The state of a run that was cancelled; `last` is the state it was in.
    static func cancelled(from last: Self) -> Self
}

/// States that show how a run stops: cancelling it puts it into a state of its own, and it ends when its work has returned.
///
/// For work that cannot stop at once, such as a program that is asked to. The work may still print, and must not leave
/// the stopping state by itself: it writes with `update`, and leaves a state that is stopping as it is.
package protocol StoppingState: OperationState {
    /// The state of a run that was in this state when it was asked to stop.
    var stopping: Self { get }
    /// The state of a run whose `perform` threw; `last` is the state it was in.
    ///
    /// `failed(_:)` by default.
    static func failed(_ error: any Error, from last: Self) -> Self
}

extension StoppingState {
    package static func failed(_ error: any Error, from last: Self) -> Self { failed(error) }
}

/// States some of which are off the way from start to end, such as the wait before another attempt.
///
/// Pages list the active cases of an operation as steps; a case off the way is listed only in runs that came to it.
package protocol DetouringState {
    /// The names of the cases that only some runs pass through.
    static var detours: Set<String> { get }
}
