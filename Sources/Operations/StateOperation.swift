public import Flows

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
