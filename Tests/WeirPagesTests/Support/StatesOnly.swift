import WeirFlows
import WeirOperations

/// An operation of which only the input and the states are wanted.
struct StatesOnly<Input: OperationInput, State: OperationState>: StateOperation {
    func perform(_ input: Input, state: MutableStateFlow<State>) async throws {}
}
