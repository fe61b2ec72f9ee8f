/// An operation set a failed state itself and returned, without throwing: the state is all there is to know.
public struct OperationEndedInFailure<State: OperationState>: Error, CustomStringConvertible {
    /// The state it ended in.
    public let state: State

    /// Makes an error.
    public init(state: State) { self.state = state }

    /// The state, as Swift prints it.
    public var description: String { "It ended in the state \(state)." }
}
