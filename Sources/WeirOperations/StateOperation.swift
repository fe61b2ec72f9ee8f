public import WeirFlows
public import WeirStates

/// Work that is started with a typed input and passes through typed states.
///
/// The name `Operation` belongs to Foundation. The design follows the `FooOperation` of *StateFlow on KMP and SwiftUI*: only
/// the operation sets its state, and clients observe it.
public protocol StateOperation<Input, State>: Sendable {
    /// The input of a run.
    associatedtype Input: OperationInput
    /// The states of a run.
    associatedtype State: OperationState

    /// Performs the work of one run and publishes each state by setting `state.value`.
    ///
    /// Called once per run. Once the run has ended, been cancelled or been replaced, writes have no effect. Return in an end
    /// state, or throw: an error becomes `State.failed(_:)`, and a cancelled task becomes `State.cancelled` for any error.
    /// Clean up before returning, for example with `defer`.
    func perform(_ input: Input, state: MutableStateFlow<State>) async throws

    /// The input fields of this instance; by default those of the input's type.
    ///
    /// For choices that depend on the operation's configuration.
    var inputFields: [InputField] { get }
}

extension StateOperation {
    /// The fields of the input's type.
    public var inputFields: [InputField] { Input.fields }
}

/// The lifetime of an operation's runs.
public enum Lifetime: Sendable, Hashable {
    /// A run lasts from an explicit start until its work ends.
    case onDemand
    /// A run starts with the first viewer and is cancelled after the last one has left, with a delay.
    case whileWatched(stopAfter: Duration = .seconds(5))
}

/// The effect of starting an operation while a run of it is active.
public enum ReentryPolicy: String, Codable, Sendable, Hashable, CaseIterable {
    /// Cancels the active run, which can publish nothing more, and starts the new one.
    case cancelPrevious
    /// Returns the active run.
    case joinExisting
    /// Refuses the start.
    case ignore
    /// Queues the new run.
    case queue
    /// Runs both concurrently.
    case concurrent
}

/// An operation whose states are known only at run time, such as one declared in a file.
package protocol DeclaredStates<Input, State>: StateOperation {
    /// At least one state of every case of this instance.
    var stateSamples: [State] { get }
    /// The names of optional cases in addition to those of the state's type.
    var stateDetours: Set<String> { get }
}

extension DeclaredStates {
    package var stateDetours: Set<String> { [] }
}

/// The states of an operation, with its initial, failed and cancelled states.
///
/// Errors are states: a failure is a case with a message that tells the user what to do.
public protocol OperationState: RecordableState {
    /// The state of a run before its work starts.
    static var initial: Self { get }
    /// The state of a run whose `perform` threw; the error is passed with its original type.
    static func failed(_ error: any Error) -> Self
    /// The state of a cancelled run; `last` is the previous state.
    static func cancelled(from last: Self) -> Self
}

/// States with a stopping phase: cancellation enters it, and the run ends when its work has returned.
///
/// For work that cannot stop immediately, such as a child process. The work can still print, but must not leave the stopping
/// state: it writes with `update` and returns a stopping state unchanged.
package protocol StoppingState: OperationState {
    /// The state that follows this one on cancellation.
    var stopping: Self { get }
    /// The state of a run whose `perform` threw; `last` is the previous state; defaults to `failed(_:)`.
    static func failed(_ error: any Error, from last: Self) -> Self
}

extension StoppingState {
    package static func failed(_ error: any Error, from last: Self) -> Self { failed(error) }
}

/// States with pauses between attempts, in which a run can end with its process and continue in the next one.
package protocol PausingState: OperationState {
    var isPaused: Bool { get }
}

/// States with optional cases, such as the wait before a retry.
///
/// Pages list the active cases of an operation as steps; optional ones are listed only in runs that entered them.
package protocol DetouringState {
    /// The names of the optional cases.
    static var detours: Set<String> { get }
}
