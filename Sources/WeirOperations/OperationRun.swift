package import WeirFlows

/// One execution of an operation: its states, its end, and the one way to stop it.
package protocol OperationRun<State>: Sendable {
    /// What it passes through.
    associatedtype State: OperationState
    /// The states; the flow ends when the run does, its last value being the run's end state.
    var state: ReadOnlyStateFlow<State> { get }
    /// Asks the run to stop. Returns at once; the end state is cancelled unless the run ended before. May be called again.
    func cancel(_ cause: CancellationCause)
    /// How the run ended. Suspends until it has; cancelling the caller does not cancel the run.
    func outcome() async -> RunOutcome
}

/// How a run ended.
public enum RunOutcome: Sendable {
    /// With what it was for.
    case succeeded
    /// With an error, in its own type.
    case failed(any Error)
    /// Because it was asked to stop.
    case cancelled(CancellationCause)
}

/// An operation set a failed state itself and returned, without throwing: the state is all that is known.
package struct OperationEndedInFailure<State: OperationState>: Error, CustomStringConvertible {
    /// The state it ended in.
    package let state: State

    /// Creates an error.
    package init(state: State) { self.state = state }

    /// The state, as Swift prints it.
    package var description: String { "It ended in the state \(state)." }
}
