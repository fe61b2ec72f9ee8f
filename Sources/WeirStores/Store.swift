public import WeirFlows

/// The one place a state lives: actions in, one state out, effects once.
///
/// The source is the `StateStore` of *Redux for KMP*. It guarantees:
///
/// - Actions are reduced one at a time, in the order in which they were dispatched, from any thread.
/// - An action that an observer dispatches is queued behind the current one: there is no recursion, however many there
///   are.
/// - Each state is committed before an observer receives it, and each lossless observer receives every state.
/// - An effect happens once (see ``EffectMailbox``).
///
/// The thread that dispatches also reduces, unless another thread is already reducing, which then takes the action too.
public final class Store<R: Reducer>: Sendable {
    /// What the store contains.
    public typealias State = R.State
    /// What can be done.
    public typealias Action = R.Action
    /// What happens once.
    public typealias Effect = R.Effect

    /// Effects that wait to happen.
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
    ///   - reducer: what actions do.
    ///   - scope: where its work runs; cancelling it cancels the work.
    ///   - effectCapacity: how many effects can wait while there is no listener; beyond that the oldest is dropped.
    public convenience init(_ reducer: R, scope: FlowScope = FlowScope(), effectCapacity: Int = 100) {
        self.init(reducer, in: reducer.initialState, scope: scope, effectCapacity: effectCapacity) { true }
    }

    /// Creates a store in an earlier state; it rejects actions for the reason that `accepts` returns.
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

    /// The state over time.
    public var state: ReadOnlyStateFlow<State> { flow.asStateFlow() }

    /// Dispatches an action.
    ///
    /// Returns at once if another thread is reducing or if called by an observer, otherwise when the action and all
    /// actions it queued are reduced. Inside a reducer it is rejected.
    ///
    /// - Parameters:
    ///   - action: the action.
    ///   - cause: who or what caused it, for the record.
    /// - Returns: whether it was accepted, and when everything it started has ended.
    @discardableResult
    public func dispatch(_ action: Action, cause: String? = nil) -> DispatchReceipt {
        take(.action(action), cause: cause, settlement: Settlement())
    }

    /// Dispatches an action with a value that its commit carries.
    package func dispatch(_ action: Action, context: any CommitContext) -> DispatchReceipt {
        take(.action(action), cause: nil, context: context, settlement: Settlement())
    }

    /// Replaces the state without an action, such as when it is restored from where it was saved.
    ///
    /// Runs no effects and notifies once; queued behind the current action.
    @discardableResult
    public func rehydrate(_ state: State, cause: String? = nil) -> DispatchReceipt {
        take(.rehydrate(state), cause: cause, settlement: Settlement())
    }

    /// Restores the initial state, cancels all work, and drops the waiting effects.
    @discardableResult
    public func reset(cause: String? = nil) -> DispatchReceipt {
        take(.reset, cause: cause, settlement: Settlement())
    }

    /// Replaces the state, with a value that the commit carries.
    package func rehydrate(_ state: State, context: any CommitContext) -> DispatchReceipt {
        take(.rehydrate(state), cause: nil, context: context, settlement: Settlement())
    }

    /// Resets the store, with a value that the commit carries.
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
