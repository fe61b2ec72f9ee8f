public import Flows

/// An operation that prints lines of output besides passing through states.
///
/// States say where a run stands; output is what a person reads who wants to know how it came there. Implement
/// ``perform(_:state:output:)`` and nothing else: what starts the operation without a place for lines discards them.
public protocol OutputOperation<Input, State>: StateOperation {
    /// What a run is started with.
    associatedtype Input
    /// What a run passes through.
    associatedtype State
    /// Does the work of one run, tells each state by writing `state.value`, and prints lines by `output`.
    ///
    /// All that ``StateOperation/perform(_:state:)`` promises holds. Lines are stamped with the run too: what is printed
    /// after the run has ended or been cancelled is lost, and a run that is started again prints into an output of its own.
    func perform(_ input: Input, state: MutableStateFlow<State>, output: OutputWriter) async throws
}

extension OutputOperation {
    /// Does the work and discards the output.
    public func perform(_ input: Input, state: MutableStateFlow<State>) async throws {
        try await perform(input, state: state, output: .discarding)
    }
}
