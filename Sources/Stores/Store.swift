public import Flows

/// The one place a state lives: actions in, one state out, effects once.
///
/// The source is the `StateStore` of *Redux for KMP*. What it guarantees:
///
/// - Actions are reduced one at a time, in the order in which they were dispatched, whatever thread they come from.
/// - An action dispatched from an observer is queued behind the one at hand: no recursion, however many there are.
/// - Each state is committed before anybody hears of it, and each lossless observer hears of every one.
/// - An effect happens once (see ``EffectMailbox``).
///
/// The thread that dispatches reduces, unless another thread is at it; then that one takes the action along.
public final class Store<R: Reducer>: Sendable {
    /// What the store holds.
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
    let jobs = Locked<[Int: Job]>([:])
    let observers = Locked<[ObjectIdentifier: FlowSubscription]>([:])
    let commits: MutableStateFlow<StoreCommit<State, Action, Effect>?>
    private let flow: MutableStateFlow<State>
    private let accepts: @Sendable () -> Bool

    /// Makes a store in its reducer's initial state.
    /// - Parameters:
    ///   - reducer: what actions do.
    ///   - scope: where its work runs; cancelling it cancels the work.
    ///   - effectCapacity: how many effects wait at most while nobody listens; beyond that the oldest goes.
    public convenience init(_ reducer: R, scope: FlowScope = FlowScope(), effectCapacity: Int = 100) {
        self.init(reducer, in: reducer.initialState, scope: scope, effectCapacity: effectCapacity) { true }
    }

    /// Makes a store in a state it was in before, which takes nothing in while `accepts` says so.
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

    /// The state in force.
    public var currentState: State { flow.value }

    /// The state over time.
    public var state: ReadOnlyStateFlow<State> { flow.asStateFlow() }

    /// Sends an action.
    ///
    /// Returns at once when another thread is reducing or when called from an observer, else when the action and all
    /// that it queued are reduced. From inside a reducer it is rejected.
    ///
    /// - Parameters:
    ///   - action: what is to be done.
    ///   - cause: who or what is behind it, for the record.
    /// - Returns: whether it was taken, and when all that it set going has ended.
    @discardableResult
    public func dispatch(_ action: Action, cause: String? = nil) -> DispatchReceipt {
        take(.action(action), cause: cause, settlement: Settlement())
    }

    /// Sends an action with something that its commit will carry.
    package func dispatch(_ action: Action, ticket: any StoreTicket) -> DispatchReceipt {
        take(.action(action), cause: nil, ticket: ticket, settlement: Settlement())
    }

    /// Replaces the state without any action, as when it comes back from where it was saved.
    ///
    /// Runs no effects and notifies once; queued behind what is at hand.
    @discardableResult
    public func rehydrate(_ state: State, cause: String? = nil) -> DispatchReceipt {
        take(.rehydrate(state), cause: cause, settlement: Settlement())
    }

    /// Puts the initial state back, cancels all work, and drops the effects that wait.
    @discardableResult
    public func reset(cause: String? = nil) -> DispatchReceipt {
        take(.reset, cause: cause, settlement: Settlement())
    }

    /// Replaces the state, with something that the commit will carry.
    package func rehydrate(_ state: State, ticket: any StoreTicket) -> DispatchReceipt {
        take(.rehydrate(state), cause: nil, ticket: ticket, settlement: Settlement())
    }

    /// Resets the store, with something that the commit will carry.
    package func reset(ticket: any StoreTicket) -> DispatchReceipt {
        take(.reset, cause: nil, ticket: ticket, settlement: Settlement())
    }

    func take(
        _ kind: StoreTurn<State, Action>.Kind, cause: String?, ticket: (any StoreTicket)? = nil, settlement: Settlement
    ) -> DispatchReceipt {
        let here = ThreadIdentity()
        guard reducing.withLock({ $0 != here }) else { return DispatchReceipt(rejected: .insideReducer) }
        guard accepts() else { return DispatchReceipt(rejected: .overloaded) }
        settlement.enter()
        let turn = StoreTurn(kind: kind, cause: cause, ticket: ticket, settlement: settlement)
        if machine.withLock({ $0.enqueue(turn) }) { drain() }
        return DispatchReceipt(settlement)
    }

    private func drain() {
        while let turn = machine.withLock({ $0.next() }) {
            switch turn.kind {
            case .action(let action): reduce(action, turn)
            case .rehydrate(let state): commit(state, .rehydrated, [], turn)
            case .reset:
                cancelWork(id: nil)
                effectMailbox.removeAll()
                commit(reducer.initialState, .reset, [], turn)
            }
            turn.settlement.leave()
        }
    }

    private func reduce(_ action: Action, _ turn: StoreTurn<State, Action>) {
        let commands = WorkCommands<Action>()
        reducing.withLock { $0 = ThreadIdentity() }
        let reduced = reducer.reduce(action, flow.value, commands.dispatch)
        reducing.withLock { $0 = nil }
        commit(reduced.state, .action(action), reduced.effects, turn)
        obey(commands.take(), turn.settlement)
    }

    private func commit(
        _ state: State, _ origin: StoreCommit<State, Action, Effect>.Origin, _ effects: [Effect],
        _ turn: StoreTurn<State, Action>
    ) {
        let revision = machine.withLock { $0.commit() }
        flow.value = state
        turn.settlement.commit(revision)
        commits.value = StoreCommit(
            origin: origin, cause: turn.cause, state: state, effects: effects, revision: revision,
            ticket: turn.ticket)
        effectMailbox.post(effects)
    }
}
