public import WeirFlows
import WeirStates

/// One execution of an operation, as an `OperationRunner` makes it.
///
/// The states are the run's own flow. It is sealed with the first end state, whoever brings it about: the work by
/// writing it, an error, a timeout, or `cancel`. After that nothing the work writes is seen any more. The run's
/// *outcome* comes when the work has returned too, so that what it cleans up is clean by then.
public final class Run<State: OperationState>: OperationRun {
    /// What whoever started the run calls it; the runner itself has no use for it.
    public let id: String
    let flow: MutableStateFlow<State>
    let ending = MutableStateFlow<RunOutcome?>(nil, areEquivalent: { _, _ in false })
    let core = Locked(Core())

    /// What changes in the course of a run, besides its state.
    struct Core {
        var decision: RunDecision?
        var work: FlowJob?
        var timer: Task<Void, Never>?
        var subscriptions: [FlowSubscription] = []
        var output = OutputWriter.discarding
        /// How much of its time it had had before, in another process.
        var elapsed = Duration.zero
        var isStopping = false
        var hasBegun = false
        var hasReturned = false
    }

    init(id: String, from state: State = .initial) {
        self.id = id
        flow = MutableStateFlow(state)
    }

    /// The states; the flow ends when the run does, its last value being the run's end state.
    public var state: ReadOnlyStateFlow<State> { flow.asStateFlow() }

    /// Why it was cancelled; nil unless it was.
    public var cancellationCause: CancellationCause? {
        let decision = core.withLock { $0.decision }
        guard flow.value.phase == .cancelled, case .cancelled(let cause) = decision else { return nil }
        return cause
    }

    /// Why it is to stop, also while it is still stopping; nil unless somebody has cancelled it.
    package var stopCause: CancellationCause? {
        guard case .cancelled(let cause) = core.withLock({ $0.decision }) else { return nil }
        return cause
    }

    /// The error that ended it; nil unless one did.
    package var failure: (any Error)? {
        guard case .failed(let error) = core.withLock({ $0.decision }) else { return nil }
        return error
    }

    /// Says where the lines go that the work prints, if it prints any; without, they are discarded.
    ///
    /// Call it before the work begins, in the `willBegin` of `OperationRunner.start`.
    public func print(to sink: any OutputSink) {
        core.withLock { $0.output = OutputWriter(to: sink) }
    }

    /// Asks the run to stop.
    ///
    /// Returns at once; the end state is cancelled unless the run ended before. May be called again.
    ///
    /// Once this has returned, nothing the work writes is seen; the work itself ends when it next looks whether its task
    /// is cancelled. Only where the states say how stopping looks, the run is in that state until its work has returned.
    public func cancel(_ cause: CancellationCause) {
        end(.cancelled(cause))
    }

    /// How the run ended.
    ///
    /// Suspends until it has and its work has returned; cancelling the caller does not cancel the run.
    public func outcome() async -> RunOutcome {
        if let outcome = await interruptibleOutcome() { return outcome }
        // The caller is cancelled, and a cancelled task cannot wait for a flow: a task of its own can.
        let waiting = Task { await self.ending.first { $0 != nil } ?? nil }
        return await waiting.value ?? .cancelled(.caller)
    }

    // MARK: Inside

    /// How the run ended; nil when the caller was cancelled first.
    package func interruptibleOutcome() async -> RunOutcome? {
        await ending.first { $0 != nil } ?? nil
    }

    /// Stops the work, and ends the flow: at once, or when the work has returned if its states show that it stops.
    func end(_ decision: RunDecision) {
        let isBegun = core.withLock { core in
            // From here on the work either finds itself stopped or was there to be stopped.
            core.isStopping = true
            if core.hasBegun { core.decision = core.decision ?? decision }
            return core.hasBegun
        }
        if isBegun, Self.stopping(from: flow.value) != nil {
            flow.update { last in last.phase.isEnded ? last : Self.stopping(from: last) ?? last }
        } else {
            settle(decision)
        }
        stopWork()
    }

    private static func stopping(from last: State) -> State? {
        (last as? any StoppingState)?.stopping as? State
    }

    /// Ends the flow in the state the first decision asks for.
    ///
    /// After this has returned it is sealed, whoever was first.
    func settle(_ decision: RunDecision) {
        let first = core.withLock { core -> RunDecision in
            let first = core.decision ?? decision
            core.decision = first
            return first
        }
        flow.seal { first.state(from: $0) }
    }

    func stopWork() {
        let work = core.withLock { core in
            core.isStopping = true
            return core.work
        }
        work?.cancel()
    }
}

/// What somebody decided about a run from outside of its own states: the first decision stands.
enum RunDecision: Sendable {
    case cancelled(CancellationCause)
    case failed(any Error)

    /// The state in which a run that was in `last` ends by this decision; an end reached before it stands.
    func state<State: OperationState>(from last: State) -> State {
        if last.phase.isEnded { return last }
        return switch self {
        case .cancelled: .cancelled(from: last)
        case .failed(let error): Self.failed(error, from: last)
        }
    }

    private static func failed<State: OperationState>(_ error: any Error, from last: State) -> State {
        guard let type = State.self as? any StoppingState.Type else { return .failed(error) }
        return type.failed(error, after: last) as? State ?? .failed(error)
    }
}

extension StoppingState {
    fileprivate static func failed(_ error: any Error, after last: Any) -> any OperationState {
        (last as? Self).map { failed(error, from: $0) } ?? failed(error)
    }
}
