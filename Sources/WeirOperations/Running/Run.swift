public import WeirFlows
import WeirStates

/// One run of an operation, created by an `OperationRunner`.
///
/// The states are the run's own flow. The first end state seals it, whether set by the work, an error, a timeout or
/// `cancel`; later writes have no effect. The *outcome* is available once the work has returned, after its cleanup.
public final class Run<State: OperationState>: Sendable {
    /// The identifier chosen by the caller of `start`; unused by the runner.
    public let id: String
    let flow: MutableStateFlow<State>
    let ending = MutableStateFlow<RunOutcome?>(nil, areEquivalent: { _, _ in false })
    let core = Locked(Core())

    struct Core {
        var decision: RunDecision?
        var work: FlowJob?
        var timer: Task<Void, Never>?
        var subscriptions: [FlowSubscription] = []
        var output = OutputWriter.discarding
        /// The part of the timeout used in another process.
        var elapsed = Duration.zero
        /// Runs the work, in a context of the caller.
        var surroundings: (@Sendable (_ work: @Sendable () async -> Void) async -> Void)?
        var isStopping = false
        var hasBegun = false
        var hasReturned = false
    }

    init(id: String, from state: State = .initial) {
        self.id = id
        flow = MutableStateFlow(state)
    }

    /// The states; the flow ends with the run, and its last value is the end state.
    public var state: ReadOnlyStateFlow<State> { flow.asStateFlow() }

    /// The cause of the cancellation, or nil unless the run was cancelled.
    public var cancellationCause: CancellationCause? {
        let decision = core.withLock { $0.decision }
        guard flow.value.phase == .cancelled, case .cancelled(let cause) = decision else { return nil }
        return cause
    }

    /// The cause of the cancellation, also while the run is stopping; nil if it was not cancelled.
    package var stopCause: CancellationCause? {
        guard case .cancelled(let cause) = core.withLock({ $0.decision }) else { return nil }
        return cause
    }

    /// The error that ended the run, if any.
    package var failure: (any Error)? {
        guard case .failed(let error) = core.withLock({ $0.decision }) else { return nil }
        return error
    }

    /// Sets the sink of the work's output, which is discarded otherwise.
    ///
    /// Call it before the work starts, in the `willBegin` of `OperationRunner.start`.
    public func print(to sink: any OutputSink) {
        core.withLock { $0.output = OutputWriter(to: sink) }
    }

    /// Sets a function that runs the work, by calling its argument once; it is not called for work that never begins.
    ///
    /// Call it before the work starts, in the `willBegin` of `OperationRunner.start`.
    package func surround(with body: @escaping @Sendable (_ work: @Sendable () async -> Void) async -> Void) {
        core.withLock { $0.surroundings = body }
    }

    /// Requests cancellation and returns immediately.
    ///
    /// Idempotent.
    ///
    /// The end state is cancelled unless the run ended before. Later writes of the work have no effect; it ends at its next
    /// cancellation check. If the states have a stopping phase, the run stays in it until its work has returned.
    public func cancel(_ cause: CancellationCause) {
        end(.cancelled(cause))
    }

    /// Ends the run in its current state if that is a pause between attempts; returns false otherwise.
    ///
    /// `willPause` is called before subscribers receive the end, and again if another writer was faster.
    package func pause(_ willPause: () -> Void) -> Bool {
        let isPaused = flow.seal(if: { state in
            guard (state as? any PausingState)?.isPaused == true else { return false }
            willPause()
            return true
        })
        if isPaused { end(.cancelled(.shutdown)) }
        return isPaused
    }

    /// Suspends until the run has ended and its work has returned.
    ///
    /// Cancelling the caller does not cancel the run.
    public func outcome() async -> RunOutcome {
        if let outcome = await interruptibleOutcome() { return outcome }
        // A cancelled task cannot wait for a flow, but an unstructured one can.
        let waiting = Task { await self.ending.first { $0 != nil } ?? nil }
        return await waiting.value ?? .cancelled(.caller)
    }

    // MARK: Inside

    /// The outcome, or nil if the caller is cancelled first.
    package func interruptibleOutcome() async -> RunOutcome? {
        await ending.first { $0 != nil } ?? nil
    }

    /// Stops the work and ends the flow: immediately, or once the work has returned if the states have a stopping phase.
    func end(_ decision: RunDecision) {
        let isBegun = core.withLock { core in
            // From here on, the work either observes the stop when it starts or can be cancelled.
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

    /// Seals the flow with the end state of the first decision; the flow is sealed on return.
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

/// An external decision that ends a run; the first one counts.
enum RunDecision: Sendable {
    case cancelled(CancellationCause)
    case failed(any Error)

    /// The end state for this decision; an end state reached before is kept.
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

extension Run {
    /// Seals the flow as soon as the work writes an end state, and calls `onEnd` once the flow is sealed.
    func guardEnd(_ onEnd: @escaping @Sendable () -> Void) {
        let guardian = flow.subscribe(.lossless) { [flow] state in
            if state.phase.isEnded { flow.seal { _ in state } }
        } onEnd: { _ in
            onEnd()
        }
        keep(guardian)
    }

    /// Starts the work in a scope; calls `onReturn` once, when it has returned or will never start.
    func begin<Work: StateOperation>(
        _ operation: Work, _ input: Work.Input, in scope: FlowScope, timeout: Duration?, clock: any Clock<Duration>,
        onReturn: @escaping @Sendable () -> Void
    ) where Work.State == State {
        core.withLock { $0.hasBegun = true }
        let work = scope.launch {
            await withTaskCancellationHandler {
                self.startTimer(timeout, clock)
                guard let surroundings = self.core.withLock({ $0.surroundings }) else {
                    return await self.perform(operation, input)
                }
                await surroundings { await self.perform(operation, input) }
            } onCancel: {
                self.cancel(.scope)
            }
        }
        let isStopping = core.withLock { core in
            core.work = work
            return core.isStopping
        }
        if isStopping { work.cancel() }
        keep(
            work.outcome.subscribe(.lossless) { outcome in
                guard outcome != nil else { return }
                self.conclude()
                onReturn()
            })
    }

    private func perform<Work: StateOperation>(_ operation: Work, _ input: Work.Input) async
    where Work.State == State {
        do {
            if let printing = operation as? any OutputOperation<Work.Input, State> {
                try await printing.perform(input, state: flow, output: core.withLock { $0.output })
            } else {
                try await operation.perform(input, state: flow)
            }
            let last = flow.value
            if !last.phase.isEnded {
                settle(.failed(OperationLeftUnfinished(operation: "\(Work.self)", state: "\(last)")))
            }
        } catch is CancellationError {
            // The work can observe the cancellation of its scope before `onCancel` is called.
            settle(.cancelled(Task.isCancelled ? .scope : .itself))
        } catch {
            settle(.failed(error))
        }
    }

    private func startTimer(_ timeout: Duration?, _ clock: any Clock<Duration>) {
        guard let timeout else { return }
        let rest = max(timeout - core.withLock { $0.elapsed }, .zero)
        let timer = Task {
            do {
                try await clock.sleep(for: rest)
            } catch {
                return  // The run ended in time.
            }
            end(.failed(OperationTimeout(limit: timeout)))
        }
        core.withLock { $0.timer = timer }
    }

    /// Completes the run: its flow, unless sealed already, and its outcome.
    func conclude() {
        settle(.cancelled(.scope))
        let (decision, timer, subscriptions) = core.withLock { core in
            defer {
                core.work = nil
                core.timer = nil
                core.subscriptions = []
                core.hasReturned = true
            }
            return (core.decision, core.timer, core.subscriptions)
        }
        timer?.cancel()
        for subscription in subscriptions { subscription.cancel() }
        ending.seal(with: outcome(of: flow.value, decision))
    }

    private func outcome(of last: State, _ decision: RunDecision?) -> RunOutcome {
        switch (last.phase, decision) {
        case (.succeeded, _): .succeeded
        case (.cancelled, .cancelled(let cause)): .cancelled(cause)
        case (.cancelled, _): .cancelled(.itself)
        case (_, .failed(let error)): .failed(error)
        case (_, _): .failed(OperationEndedInFailure(state: last))
        }
    }

    private func keep(_ subscription: FlowSubscription) {
        core.withLock { core in
            if !core.hasReturned { core.subscriptions.append(subscription) }
        }
    }
}
