public import WeirFlows

/// A state container: actions go in, each produces the next state, and effects are delivered once.
///
/// Based on the `StateStore` of *Redux for KMP*. It guarantees:
///
/// - Actions are reduced one at a time, in the order in which they were dispatched, from any thread.
/// - An action that an observer dispatches is queued after the current one, without recursion.
/// - Each state is committed before an observer receives it, and each lossless observer receives every state.
/// - An effect is delivered once (see ``EffectMailbox``).
///
/// The thread that dispatches also reduces, unless another thread is already reducing, which then processes the action
/// too.
public final class Store<R: Reducer>: Sendable {
    /// The type of the state.
    public typealias State = R.State
    /// The type of the actions.
    public typealias Action = R.Action
    /// The type of the effects.
    public typealias Effect = R.Effect

    /// The effects that have not been delivered yet.
    public let effectMailbox: EffectMailbox<Effect>

    let reducer: R
    let scope: FlowScope
    let machine = Locked(StoreMachine<State, Action>())
    let reducing = Locked<ThreadIdentity?>(nil)
    let jobs = Locked<[Int: FlowJob]>([:])
    let observers = Locked<[ObjectIdentifier: FlowSubscription]>([:])
    let commits: MutableStateFlow<StoreCommit<State, Action, Effect>?>
    private let flow: MutableStateFlow<State>
    private let accepts: @Sendable () -> Bool

    /// Creates a store in its reducer's initial state.
    /// - Parameters:
    ///   - reducer: the reducer.
    ///   - scope: where its work runs; cancelling it cancels the work.
    ///   - effectCapacity: how many effects can wait while there is no listener; beyond that the oldest is dropped.
    public convenience init(_ reducer: R, scope: FlowScope = FlowScope(), effectCapacity: Int = 100) {
        self.init(reducer, in: reducer.initialState, scope: scope, effectCapacity: effectCapacity) { true }
    }

    /// Creates a store in an earlier state; it rejects steps as overloaded while `accepts` returns false.
    package init(
        _ reducer: R, in state: State, scope: FlowScope, effectCapacity: Int = 100,
        accepts: @escaping @Sendable () -> Bool
    ) {
        self.reducer = reducer
        self.scope = scope
        self.accepts = accepts
        flow = MutableStateFlow(state)
        commits = MutableStateFlow(nil, areEquivalent: { _, _ in false })
        effectMailbox = EffectMailbox(capacity: effectCapacity)
    }

    /// The current state.
    public var currentState: State { flow.value }

    /// The state as a flow.
    public var state: ReadOnlyStateFlow<State> { flow.asStateFlow() }

    /// Dispatches an action.
    ///
    /// Returns at once if another thread is reducing or if called by an observer, otherwise when the action and all
    /// actions it queued are reduced. Inside a reducer it is rejected.
    ///
    /// - Parameters:
    ///   - action: the action.
    ///   - cause: the cause to record.
    /// - Returns: whether it was accepted, and when everything it started has ended.
    @discardableResult
    public func dispatch(_ action: Action, cause: String? = nil) -> DispatchReceipt {
        take(.action(action), cause: cause, settlement: Settlement())
    }

    /// Dispatches an action with a value for its commit.
    package func dispatch(_ action: Action, context: any CommitContext) -> DispatchReceipt {
        take(.action(action), cause: nil, context: context, settlement: Settlement())
    }

    /// Replaces the state without an action, such as when a saved state is restored.
    ///
    /// Has no effects and notifies observers once; queued after the current action.
    @discardableResult
    public func rehydrate(_ state: State, cause: String? = nil) -> DispatchReceipt {
        take(.rehydrate(state), cause: cause, settlement: Settlement())
    }

    /// Restores the initial state, cancels all work, and drops undelivered effects.
    @discardableResult
    public func reset(cause: String? = nil) -> DispatchReceipt {
        take(.reset, cause: cause, settlement: Settlement())
    }

    package func rehydrate(_ state: State, context: any CommitContext) -> DispatchReceipt {
        take(.rehydrate(state), cause: nil, context: context, settlement: Settlement())
    }

    package func reset(context: any CommitContext) -> DispatchReceipt {
        take(.reset, cause: nil, context: context, settlement: Settlement())
    }

    func take(
        _ kind: QueuedStep<State, Action>.Kind, cause: String?, context: (any CommitContext)? = nil,
        settlement: Settlement
    ) -> DispatchReceipt {
        let here = ThreadIdentity()
        guard reducing.withLock({ $0 != here }) else { return DispatchReceipt(rejected: .insideReducer) }
        guard accepts() else { return DispatchReceipt(rejected: .overloaded) }
        settlement.enter()
        let step = QueuedStep(kind: kind, cause: cause, context: context, settlement: settlement)
        if machine.withLock({ $0.enqueue(step) }) { drain() }
        return DispatchReceipt(settlement)
    }

    private func drain() {
        while let step = machine.withLock({ $0.next() }) {
            switch step.kind {
            case .action(let action): reduce(action, step)
            case .rehydrate(let state): commit(state, .rehydrated, [], step)
            case .reset:
                cancelWork(id: nil)
                effectMailbox.removeAll()
                commit(reducer.initialState, .reset, [], step)
            }
            step.settlement.leave()
        }
    }

    private func reduce(_ action: Action, _ step: QueuedStep<State, Action>) {
        let commands = WorkCommands<Action>()
        reducing.withLock { $0 = ThreadIdentity() }
        let reduced = reducer.reduce(action, flow.value, commands.dispatch)
        reducing.withLock { $0 = nil }
        commit(reduced.state, .action(action), reduced.effects, step)
        obey(commands.take(), step.settlement)
    }

    private func commit(
        _ state: State, _ origin: StoreCommit<State, Action, Effect>.Origin, _ effects: [Effect],
        _ step: QueuedStep<State, Action>
    ) {
        let revision = machine.withLock { $0.commit() }
        flow.value = state
        step.settlement.commit(revision)
        commits.value = StoreCommit(
            origin: origin, cause: step.cause, state: state, effects: effects, revision: revision,
            context: step.context)
        effectMailbox.post(effects)
    }
}

extension Store {
    /// Cancels the work with an id, or all work if nil; cancelled work can no longer dispatch.
    public func cancelWork(id: String?) {
        let gone = machine.withLock { $0.cancel(id: id) }
        let jobs = jobs.withLock { jobs in gone.compactMap { jobs.removeValue(forKey: $0) } }
        for job in jobs { job.cancel() }
    }

    func obey(_ commands: [WorkCommand<Action>], _ settlement: Settlement) {
        for command in commands {
            switch command {
            case .cancel(let id): cancelWork(id: id)
            case .run(let id, let cancelInFlight, let body):
                if cancelInFlight, let id { cancelWork(id: id) }
                start(id: id, settlement, body)
            }
        }
    }

    private func start(
        id: String?, _ settlement: Settlement, _ body: @escaping @Sendable (Dispatcher<Action>) async -> Void
    ) {
        let work = machine.withLock { $0.begin(id: id) }
        let dispatch = dispatch(of: work, settlement)
        settlement.enter()
        let end = WorkEnd { [weak self] in
            self?.forget(work)
            settlement.leave()
        }
        let job = scope.launch {
            await body(dispatch)
            withExtendedLifetime(end) {}
        }
        jobs.withLock { $0[work] = job }
        guard machine.withLock({ !$0.isGoing(work) }) else { return }
        // It ended or was cancelled before its job was registered.
        jobs.withLock { $0.removeValue(forKey: work) }?.cancel()
    }

    private func forget(_ work: Int) {
        machine.withLock { $0.end(work) }
        jobs.withLock { _ = $0.removeValue(forKey: work) }
    }

    private func dispatch(of work: Int, _ settlement: Settlement) -> Dispatcher<Action> {
        Dispatcher(
            send: { [weak self] action, cause in
                guard let self, machine.withLock({ $0.isGoing(work) }) else {
                    return DispatchReceipt(rejected: .workCancelled)
                }
                return take(.action(action), cause: cause, settlement: settlement)
            },
            command: { [weak self] command in
                guard let self, machine.withLock({ $0.isGoing(work) }) else { return }
                obey([command], settlement)
            })
    }
}

/// Calls back on deallocation: when the work's body has returned, or was released without running.
final class WorkEnd: Sendable {
    private let tell: @Sendable () -> Void

    init(_ tell: @escaping @Sendable () -> Void) {
        self.tell = tell
    }

    deinit {
        tell()
    }
}
