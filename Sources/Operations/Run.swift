public import Flows
import States

/// One execution of an operation, as an `OperationRunner` makes it.
///
/// The states are the run's own flow. It is sealed with the first end state, whoever brings it about: the work by
/// writing it, an error, a timeout, or `cancel`. After that nothing the work writes is seen any more. The run's
/// *outcome* comes when the work has returned too, so that what it cleans up is clean by then.
public final class Run<State: OperationState>: OperationRun {
    /// What whoever started the run calls it; the runner itself has no use for it.
    public let id: String
    let flow = MutableStateFlow(State.initial)
    let ending = MutableStateFlow<RunOutcome?>(nil, areEquivalent: { _, _ in false })
    let core = Locked(Core())

    /// What changes in the course of a run, besides its state.
    struct Core {
        var verdict: RunVerdict?
        var work: Job?
        var timer: Task<Void, Never>?
        var subscriptions: [FlowSubscription] = []
        var output = OutputWriter.discarding
        var isStopping = false
        var hasReturned = false
    }

    init(id: String) { self.id = id }

    /// The states; the flow ends when the run does, its last value being the run's end state.
    public var state: ReadOnlyStateFlow<State> { flow.asStateFlow() }

    /// Why it was cancelled; nil unless it was.
    public var cancellationCause: CancellationCause? {
        let verdict = core.withLock { $0.verdict }
        guard flow.value.phase == .cancelled, case .cancelled(let cause) = verdict else { return nil }
        return cause
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
    /// is cancelled.
    public func cancel(_ cause: CancellationCause) {
        settle(.cancelled(cause))
        stopWork()
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
    func interruptibleOutcome() async -> RunOutcome? {
        await ending.first { $0 != nil } ?? nil
    }

    /// Ends the flow in the state the first verdict asks for.
    ///
    /// After this has returned it is sealed, whoever was first.
    func settle(_ verdict: RunVerdict) {
        let standing = core.withLock { core -> RunVerdict in
            let standing = core.verdict ?? verdict
            core.verdict = standing
            return standing
        }
        flow.seal { standing.state(from: $0) }
    }

    func stopWork() {
        let work = core.withLock { core in
            core.isStopping = true
            return core.work
        }
        work?.cancel()
    }
}
