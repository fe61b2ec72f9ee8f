@testable import WeirFlows
import WeirOperations
import WeirStates

/// A run that is being watched losslessly from before its beginning.
final class Watched<State: OperationState>: Sendable {
    let run: Run<State>
    private let seen: MutableStateFlow<[State]>
    private let subscription: FlowSubscription

    /// Starts the operation; `onState` is called with each state, on the thread that sets it.
    init<Work: StateOperation>(
        _ operation: Work, _ input: Work.Input, onState: @escaping @Sendable (State) -> Void = { _ in }
    ) throws where Work.State == State {
        let seen = MutableStateFlow<[State]>([])
        let place = Locked<FlowSubscription?>(nil)
        run = try OperationRunner(operation).start(input) { run in
            let subscription = run.state.values(.lossless).subscribe { state in
                seen.mutate { $0.append(state) }
                onState(state)
            }
            place.withLock { $0 = subscription }
        }
        self.seen = seen
        subscription = place.withLock { $0 } ?? FlowSubscription({})
    }

    /// All states, once the run has ended and its work has returned.
    func states() async -> [State] {
        _ = await run.outcome()
        return seen.value
    }

    /// Suspends until a state is seen that fits; nil when none came before the run ended.
    func first(where fits: @escaping @Sendable (State) -> Bool) async -> State? {
        for await states in seen.values(.conflated) {
            if let state = states.first(where: fits) { return state }
            if states.last?.phase.isEnded == true { return nil }
        }
        return nil
    }
}
