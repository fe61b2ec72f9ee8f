public import WeirFlows
public import WeirStates

/// Runs an operation, as its reentry policy says, and gives each run its own states.
///
/// ```swift
/// let runner = OperationRunner(Greeting(), reentry: .cancelPrevious)
/// let run = try runner.start(.init(label: "Ada"))
/// for await state in run.state.values(.lossless) { print(state) }    // none, loading, success
/// ```
/// Every state a run passes through can be seen by a lossless subscriber that `start` is told to admit beforehand. A run
/// that fails leaves the others, and the scope, alone.
public final class OperationRunner<Work: StateOperation>: Sendable {
    /// A run with what it does: a run keeps the operation that it was started with.
    private struct Waiting {
        let run: Run<Work.State>
        let input: Work.Input
        let operation: any StateOperation<Work.Input, Work.State>
        let timeout: Duration?
    }

    private struct Core {
        var operation: Work
        var timeout: Duration?
        var machine: ReentryMachine<Int>
        var runs: [Int: Waiting] = [:]
        var started = 0
    }

    /// What is run.
    package var operation: Work { core.withLock { $0.operation } }
    /// The scope of the runs.
    ///
    /// Cancelling it cancels every run, and lets no other run start.
    package let scope: FlowScope
    private let clock: any Clock<Duration>
    private let core: Locked<Core>

    /// Creates a runner.
    ///
    /// - Parameters:
    ///   - operation: The operation to run.
    ///   - reentry: What a start does while a run is active.
    ///   - timeout: The time after which a run fails with `OperationTimeout`; nil for never.
    ///   - scope: The scope of the runs; by default one of the runner's own.
    ///   - clock: Measures the timeout.
    public init(
        _ operation: Work, reentry: ReentryPolicy = .concurrent, timeout: Duration? = nil,
        scope: FlowScope = FlowScope(executor: nil), clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.scope = scope
        self.clock = clock
        core = Locked(
            Core(
                operation: operation, timeout: timeout,
                machine: ReentryMachine(reentry, waitsForReplaced: Self.waitsForReplaced(reentry))))
    }

    private static func waitsForReplaced(_ reentry: ReentryPolicy) -> Bool {
        Work.State.self is any StoppingState.Type && reentry == .cancelPrevious
    }

    /// Runs another operation from now on, in the place of the one there was.
    ///
    /// A run that was started before keeps the operation and the timeout that it was started with, and counts for the new
    /// policy.
    package func replace(_ operation: Work, reentry: ReentryPolicy, timeout: Duration?) {
        core.withLock { core in
            core.operation = operation
            core.timeout = timeout
            core.machine.take(reentry, waitsForReplaced: Self.waitsForReplaced(reentry))
        }
    }

    /// The runs that have not ended, oldest first, including those that wait for their turn.
    package var runs: [Run<Work.State>] {
        core.withLock { core in core.machine.unended.compactMap { core.runs[$0]?.run } }
    }

    /// Starts a run, or joins one, according to the policy.
    ///
    /// Returns at once.
    ///
    /// - Parameters:
    ///   - input: The run's input; ignored when a run is joined.
    ///   - id: The caller's identifier of the run.
    ///   - willBegin: Called once with a new run, before its work begins, on this thread. Subscribe losslessly here to
    ///     see every state, however fast the work is. Not called when a run is joined.
    /// - Returns: The new run, or the one that was joined.
    /// - Throws: `OperationBusy` if the policy is to ignore a second start.
    @discardableResult
    public func start(
        _ input: Work.Input, id: String = "", willBegin: (Run<Work.State>) -> Void = { _ in }
    ) throws(OperationBusy) -> Run<Work.State> {
        try admit(input, id: id, willBegin: willBegin).run
    }

    /// Starts a run that differs from others in where it begins or in what it does, as `start` does otherwise.
    ///
    /// - Parameters:
    ///   - input: The run's input.
    ///   - id: The caller's identifier of the run.
    ///   - variation: In what it differs.
    ///   - willBegin: As with `start`.
    /// - Returns: The new run, or the one that was joined.
    /// - Throws: `OperationBusy` if the policy is to ignore a second start.
    package func start(
        _ input: Work.Input, id: String, _ variation: RunVariation<Work.Input, Work.State>,
        willBegin: (Run<Work.State>) -> Void
    ) throws(OperationBusy) -> Run<Work.State> {
        try admit(input, id: id, variation, willBegin: willBegin).run
    }

    /// Runs the operation within the caller's task: cancelling the caller cancels the run.
    ///
    /// If a run was joined, cancelling ends only the waiting, as cancelled: the run belongs to its starter.
    /// - Parameter input: The run's input.
    /// - Returns: How the run ended, once its work has returned.
    /// - Throws: `OperationBusy` if the policy is to ignore a second start.
    public func run(_ input: Work.Input) async throws(OperationBusy) -> RunOutcome {
        let (run, isNew) = try admit(input, id: "") { _ in }
        guard isNew else { return await run.interruptibleOutcome() ?? .cancelled(.caller) }
        return await withTaskCancellationHandler {
            await run.outcome()
        } onCancel: {
            run.cancel(.caller)
        }
    }

    /// Cancels every run, including those that wait for their turn; others can be started.
    public func cancelAll(_ cause: CancellationCause) {
        for run in runs { run.cancel(cause) }
    }

    private func admit(
        _ input: Work.Input, id: String, _ variation: RunVariation<Work.Input, Work.State> = .init(),
        willBegin: (Run<Work.State>) -> Void
    ) throws(OperationBusy) -> (run: Run<Work.State>, isNew: Bool) {
        let run = Run(id: id, from: variation.state)
        run.core.withLock { $0.elapsed = variation.elapsed }
        let (token, decision, others, waiting) = core.withLock { core in
            core.started += 1
            let waiting = Waiting(
                run: run, input: input, operation: variation.work ?? core.operation,
                timeout: variation.work == nil ? core.timeout : nil)
            let decision: ReentryMachine<Int>.Decision
            do {
                let runs = core.runs
                // Whoever saw a run end may be here before the runner was told of it.
                decision = core.machine.start(core.started, by: variation.reentry) {
                    runs[$0]?.run.flow.value.phase.isEnded == true
                }
            }
            let others: [Run<Work.State>] =
                switch decision {
                case .begin(let replaced), .wait(let replaced): replaced.compactMap { core.runs[$0]?.run }
                case .join(let other), .refuse(let other): core.runs[other].map { [$0.run] } ?? []
                }
            switch decision {
            case .begin, .wait: core.runs[core.started] = waiting
            case .join, .refuse: break
            }
            return (core.started, decision, others, waiting)
        }
        switch decision {
        case .join: return (others[0], false)
        case .refuse: throw OperationBusy(run: others[0].id)
        case .begin, .wait: break
        }
        let begins = if case .begin = decision { true } else { false }
        if begins { for other in others { other.cancel(.replaced) } }
        willBegin(run)
        run.guardEnd { [weak self] in self?.end(token) }
        // A run that waits for those it replaces may begin as soon as they are cancelled.
        if begins { begin(token, waiting) } else { for other in others { other.cancel(.replaced) } }
        return (run, true)
    }

    private func begin(_ token: Int, _ waiting: Waiting) {
        waiting.run.begin(waiting.operation, waiting.input, in: scope, timeout: waiting.timeout, clock: clock) {
            self.workReturned(token)
        }
    }

    private func end(_ token: Int) {
        let over = core.withLock { core in core.machine.end(token) ? core.runs.removeValue(forKey: token)?.run : nil }
        over?.conclude()
    }

    private func workReturned(_ token: Int) {
        let next = core.withLock { core -> (Int, Waiting)? in
            core.runs[token] = nil
            guard let next = core.machine.workReturned(token), let waiting = core.runs[next] else { return nil }
            return (next, waiting)
        }
        if let (token, waiting) = next { begin(token, waiting) }
    }
}

/// In what a run differs from others of its operation.
package struct RunVariation<Input: OperationInput, State: OperationState>: Sendable {
    /// The state that it begins in; the work finds it in its flow.
    package var state: State
    /// How much of its time it has had already.
    package var elapsed = Duration.zero
    /// What its start does while others go, if not what the operation says.
    package var reentry: ReentryPolicy?
    /// What is done in place of the operation's work, for as long as that takes.
    package var work: (any StateOperation<Input, State>)?

    /// Creates a variation that differs in nothing else.
    package init(from state: State = .initial) { self.state = state }
}

/// A start was refused because a run is active and the operation allows one at a time.
public struct OperationBusy: ExplainedError, Sendable, Hashable {
    /// The id of the active run.
    package let run: String

    /// Creates an error.
    package init(run: String) { self.run = run }

    /// What happened and what to do, in a sentence.
    public var description: String {
        "A run is going already, and this operation does one at a time: wait until it has ended, or cancel it."
    }
}
