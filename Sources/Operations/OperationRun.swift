public import Flows

/// One execution of an operation: its states, its end, and the one way to stop it.
public protocol OperationRun<State>: Sendable {
    /// What it passes through.
    associatedtype State: OperationState
    /// The states; the flow ends when the run does, its last value being the run's end state.
    var state: ReadOnlyStateFlow<State> { get }
    /// Asks the run to stop. Returns at once; the end state is cancelled unless the run ended before. May be called again.
    func cancel(_ cause: CancellationCause)
    /// How the run ended. Suspends until it has; cancelling the caller does not cancel the run.
    func outcome() async -> RunOutcome
}
