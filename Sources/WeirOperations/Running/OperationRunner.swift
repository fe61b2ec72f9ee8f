public import WeirFlows
public import WeirStates

/// Decides which runs of an operation start, wait, are joined or are refused.
///
/// Pure: no tasks or locks.
///
/// A run is *going* from its start until its work has returned. It has *ended* once it is in its end state, which may be
/// earlier. Joining and refusing depend on runs that have not ended; queueing depends on runs that are going.
struct ReentryMachine<Token: Hashable & Sendable>: Sendable {
    enum Decision: Sendable, Equatable {
        /// Starts immediately, after cancelling the given runs.
        case begin(replacing: [Token])
        /// Waits for the runs before it, after cancelling the given ones.
        case wait(replacing: [Token])
        case join(Token)
        /// Is refused because of the given run.
        case refuse(Token)
    }

    private(set) var policy: ReentryPolicy
    /// Whether a run that replaces others starts only once their work has returned.
    private(set) var waitsForReplaced: Bool
    private var going: [Token] = []
    private var ended: Set<Token> = []
    private var waiting: [Token] = []
    private var isHeld = false

    init(_ policy: ReentryPolicy, waitsForReplaced: Bool = false) {
        self.policy = policy
        self.waitsForReplaced = waitsForReplaced
    }

    /// Changes the policy; queued runs stay queued.
    mutating func take(_ policy: ReentryPolicy, waitsForReplaced: Bool = false) {
        self.policy = policy
        self.waitsForReplaced = waitsForReplaced
    }

    /// Stops starting queued runs, and returns whether a run is queued.
    mutating func hold(_ token: Token?) -> Bool {
        isHeld = true
        return token.map(waiting.contains) ?? false
    }

    /// The runs that have not ended, oldest first.
    var unended: [Token] { going.filter { !ended.contains($0) } + waiting }

    /// Decides a start.
    ///
    /// `decided` overrides the policy, for a run admitted by another server. `hasEnded` returns true for a run in its end
    /// state, even if `end` has not been called yet.
    mutating func start(
        _ token: Token, by decided: ReentryPolicy? = nil, hasEnded: (Token) -> Bool = { _ in false }
    ) -> Decision {
        func others() -> [Token] { unended.filter { !hasEnded($0) } }
        switch decided ?? policy {
        case .concurrent:
            break
        case .cancelPrevious:
            let replaced = others()
            if waitsForReplaced, !going.isEmpty {
                waiting.append(token)
                return .wait(replacing: replaced)
            }
            going.append(token)
            return .begin(replacing: replaced)
        case .joinExisting:
            if let other = others().last { return .join(other) }
        case .ignore:
            if let other = others().last { return .refuse(other) }
        case .queue:
            if !going.isEmpty {
                waiting.append(token)
                return .wait(replacing: [])
            }
        }
        going.append(token)
        return .begin(replacing: [])
    }

    /// Records that a run reached its end state; returns true if its work never started and never will.
    mutating func end(_ token: Token) -> Bool {
        if let index = waiting.firstIndex(of: token) {
            waiting.remove(at: index)
            return true
        }
        if going.contains(token) { ended.insert(token) }
        return false
    }

    /// Records that a run's work has returned; returns the queued run that starts now.
    mutating func workReturned(_ token: Token) -> Token? {
        going.removeAll { $0 == token }
        ended.remove(token)
        guard !isHeld, going.isEmpty, !waiting.isEmpty else { return nil }
        let next = waiting.removeFirst()
        going.append(next)
        return next
    }
}

/// Runs an operation according to its reentry policy, with separate states for each run.
///
/// ```swift
/// let runner = OperationRunner(Greeting(), reentry: .cancelPrevious)
/// let run = try runner.start(.init(label: "Ada"))
/// for await state in run.state.values(.lossless) { print(state) }    // none, loading, success
/// ```
/// A lossless subscription made in `willBegin` receives every state of a run. A failing run affects neither other runs nor the
/// scope.
public final class OperationRunner<Work: StateOperation>: Sendable {
    /// A run with its work; a run keeps the operation it was started with.
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

    package var operation: Work { core.withLock { $0.operation } }
    /// The scope of the runs; cancelling it cancels every run and prevents further ones.
    let scope: FlowScope
    private let clock: any Clock<Duration>
    private let core: Locked<Core>

    /// Creates a runner.
    ///
    /// - Parameters:
    ///   - operation: The operation to run.
    ///   - reentry: The effect of a start while a run is active.
    ///   - timeout: The time after which a run fails with `OperationTimeout`; nil for no limit.
    ///   - scope: The scope of the runs; by default a new one.
    ///   - clock: The clock of the timeout.
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

    /// Replaces the operation for later starts.
    ///
    /// Existing runs keep their operation and timeout, and count for the new policy.
    package func replace(_ operation: Work, reentry: ReentryPolicy, timeout: Duration?) {
        core.withLock { core in
            core.operation = operation
            core.timeout = timeout
            core.machine.take(reentry, waitsForReplaced: Self.waitsForReplaced(reentry))
        }
    }

    /// The runs that have not ended, oldest first, including queued ones.
    package var runs: [Run<Work.State>] {
        core.withLock { core in core.machine.unended.compactMap { core.runs[$0]?.run } }
    }

    /// Starts or joins a run according to the policy, and returns immediately.
    ///
    /// - Parameters:
    ///   - input: The run's input; ignored when joining a run.
    ///   - id: The caller's identifier of the run.
    ///   - willBegin: Called once with a new run on this thread, before its work starts. Subscribe losslessly here to receive
    ///     every state. Not called when joining a run.
    /// - Returns: The new or joined run.
    /// - Throws: `OperationBusy` if the policy refuses the start.
    @discardableResult
    public func start(
        _ input: Work.Input, id: String = "", willBegin: (Run<Work.State>) -> Void = { _ in }
    ) throws(OperationBusy) -> Run<Work.State> {
        try admit(input, id: id, willBegin: willBegin).run
    }

    /// Starts a run that differs from others in its initial state or its work.
    ///
    /// - Parameters:
    ///   - input: The run's input.
    ///   - id: The caller's identifier of the run.
    ///   - variation: The differences.
    ///   - willBegin: As with `start`.
    /// - Returns: The new or joined run.
    /// - Throws: `OperationBusy` if the policy refuses the start.
    package func start(
        _ input: Work.Input, id: String, _ variation: RunVariation<Work.Input, Work.State>,
        willBegin: (Run<Work.State>) -> Void
    ) throws(OperationBusy) -> Run<Work.State> {
        try admit(input, id: id, variation, willBegin: willBegin).run
    }

    /// Runs the operation in the caller's task: cancelling the caller cancels the run.
    ///
    /// A joined run is not cancelled; the call then returns a cancelled outcome.
    ///
    /// - Parameter input: The run's input.
    /// - Returns: The outcome, once the work has returned.
    /// - Throws: `OperationBusy` if the policy refuses the start.
    public func run(_ input: Work.Input) async throws(OperationBusy) -> RunOutcome {
        let (run, isNew) = try admit(input, id: "") { _ in }
        guard isNew else { return await run.interruptibleOutcome() ?? .cancelled(.caller) }
        return await withTaskCancellationHandler {
            await run.outcome()
        } onCancel: {
            run.cancel(.caller)
        }
    }

    /// Cancels every run, including queued ones; new runs can be started.
    public func cancelAll(_ cause: CancellationCause) {
        for run in runs { run.cancel(cause) }
    }

    /// Stops starting queued runs, and returns whether a run is queued.
    package func hold(_ run: Run<Work.State>) -> Bool {
        core.withLock { core in core.machine.hold(core.runs.first { $0.value.run === run }?.key) }
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
                // A client that observes the end of a run may start another before the runner's `end` is called.
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
        // A run that waits for the ones it replaces may start as soon as they are cancelled.
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

/// The differences of a run from others of its operation.
package struct RunVariation<Input: OperationInput, State: OperationState>: Sendable {
    package var state: State
    /// The part of the timeout already used.
    package var elapsed = Duration.zero
    package var reentry: ReentryPolicy?
    /// Replaces the operation's work, without a timeout.
    package var work: (any StateOperation<Input, State>)?

    package init(from state: State = .initial) { self.state = state }
}

/// The start was refused, because a run is active and the operation allows one at a time.
public struct OperationBusy: ExplainedError, Sendable, Hashable {
    package let run: String

    package init(run: String) { self.run = run }

    /// The reason and the remedy, in a sentence.
    public var description: String { message.description }

    package var message: Message { Message(StartWording.busy) }
}

/// The messages about refused starts.
package enum StartWording: String, Wording {
    package static let section = "refusal"

    case busy = "A run is active, and this operation does one at a time. Wait until it has ended, or cancel it."
}
