public import WeirFlows

/// Something that can be started, with a typed input, and that passes through typed states.
///
/// The name `Operation` belongs to Foundation, hence `StateOperation`. The source of the idea is the `FooOperation` of
/// *StateFlow on KMP and SwiftUI*: the operation alone decides its state, everybody else watches.
public protocol StateOperation<Input, State>: Sendable {
    /// What a run is started with.
    associatedtype Input: OperationInput
    /// What a run passes through.
    associatedtype State: OperationState

    /// Does the work of one run and tells each state by writing `state.value`.
    ///
    /// Called once a run; it suspends as it likes. Writes are stamped with the run: once the run has ended, been
    /// cancelled or been replaced, they change nothing. Return in a state whose phase is an end, or throw: a thrown
    /// error becomes `State.failed(_:)`, a cancelled task becomes `State.cancelled`, whatever was thrown. Clean up what
    /// the work made before leaving; a `defer` does.
    func perform(_ input: Input, state: MutableStateFlow<State>) async throws

    /// The fields of the input as this very operation offers them; by default those of the input's type.
    ///
    /// For choices that depend on how the operation was made.
    var inputFields: [InputField] { get }
}

extension StateOperation {
    /// The fields of the input's type.
    public var inputFields: [InputField] { Input.fields }
}

/// When runs of an operation begin and end.
public enum Lifetime: Sendable, Hashable {
    /// A run begins when somebody starts it and ends when its work does.
    case onDemand
    /// A run begins with the first viewer and is cancelled so long after the last one left.
    case whileWatched(stopAfter: Duration = .seconds(5))
}

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

/// An operation whose states are known only once it is made, such as those that a file declares.
package protocol DeclaredStates<Input, State>: StateOperation {
    /// One state at least of every case that this very operation has.
    var stateSamples: [State] { get }
    /// The names of cases that only some of its runs pass through, beside those that its type of state has.
    var stateDetours: Set<String> { get }
}

extension DeclaredStates {
    package var stateDetours: Set<String> { [] }
}
