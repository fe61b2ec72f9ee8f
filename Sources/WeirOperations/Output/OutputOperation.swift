public import WeirFlows

/// An operation that prints lines of output and passes through states.
///
/// States show where a run is; output shows how it got there. Implement only ``perform(_:state:output:)``. If the
/// operation is started without a sink for lines, they are discarded.
public protocol OutputOperation<Input, State>: StateOperation {
    /// What a run is started with.
    associatedtype Input
    /// What a run passes through.
    associatedtype State
    /// Does the work of one run, sets each state in `state.value`, and prints lines with `output`.
    ///
    /// Everything documented at ``StateOperation/perform(_:state:)`` applies. Lines also carry the run's stamp: what is
    /// printed after the run has ended or been cancelled is lost, and a run that is started again has an output of its
    /// own.
    func perform(_ input: Input, state: MutableStateFlow<State>, output: OutputWriter) async throws
}

extension OutputOperation {
    /// Does the work and discards the output.
    public func perform(_ input: Input, state: MutableStateFlow<State>) async throws {
        try await perform(input, state: state, output: .discarding)
    }
}
