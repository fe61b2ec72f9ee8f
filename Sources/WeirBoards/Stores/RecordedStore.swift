import WeirFlows
import WeirJournals
import WeirStates
import WeirStores

/// An active store of a board, without its types.
protocol LiveStore: Sendable {
    /// Dispatches an action whose payload fits the form with its name.
    func dispatch(_ action: RecordedAction, _ command: StoreCommand) throws(BoardError)
    /// Decodes a state in Swift's `Codable` form, and returns its record.
    func record(of state: JSONValue) throws(BoardError) -> StateRecord
    func restore(_ state: StateRecord, _ command: StoreCommand) throws(BoardError)
    func reset(_ command: StoreCommand) throws(BoardError)
    func recorded(_ change: Change)
    func stop()
}

/// A store whose commits all go to the recorder, in order.
final class RecordedStore<R: Reducer>: LiveStore
where R.State: RecordableState, R.Action: StoreAction, R.Effect: StoreEffect {
    private struct Pending {
        let revision: Int64
        let command: StoreCommand
    }

    private let store: Store<R>
    private let stream: StreamID
    private let recorder: Recorder
    private let now: @Sendable () -> Timestamp
    /// The revision of the recorded change that produced the initial state of this process.
    private let base: Int64
    private let pending = Locked(RingBuffer<Pending>())
    private let recording = Locked<FlowSubscription?>(nil)

    init(
        _ reducer: R, _ view: StoreView, recorder: Recorder, now: @escaping @Sendable () -> Timestamp,
        accepts: @escaping @Sendable () -> Bool
    ) {
        let state: R.State
        do {
            state = try view.state.state(as: R.State.self)
        } catch {
            // Recorded states were checked before, so this is an initial state that cannot be encoded.
            state = reducer.initialState
        }
        store = Store(reducer, in: state, scope: FlowScope(executor: nil), accepts: accepts)
        stream = .store(view.id)
        base = view.revision
        self.recorder = recorder
        self.now = now
        recorder.resume(stream, subject: view.id, view.state, revision: view.revision)
        let subscription = store.onCommit { [weak self] commit in self?.record(commit) }
        recording.withLock { $0 = subscription }
    }

    // MARK: Commands

    func dispatch(_ action: RecordedAction, _ command: StoreCommand) throws(BoardError) {
        let typed: R.Action
        do {
            typed = try action.action(as: R.Action.self)
        } catch {
            throw .invalidAction(error)
        }
        guard let actor = command.actor, let acted = typed as? any AttributedAction,
            let filled = acted.acted(by: actor, at: now()) as? R.Action
        else { return try taken(store.dispatch(typed, context: command)) }
        try taken(store.dispatch(filled, context: command))
    }

    func record(of state: JSONValue) throws(BoardError) -> StateRecord {
        do {
            return .describing(try state.decode(R.State.self))
        } catch {
            throw .invalidState(error)
        }
    }

    func restore(_ record: StateRecord, _ command: StoreCommand) throws(BoardError) {
        let state: R.State
        do {
            state = try record.state(as: R.State.self)
        } catch {
            throw .invalidState(error)
        }
        try taken(store.rehydrate(state, context: command))
    }

    func reset(_ command: StoreCommand) throws(BoardError) {
        try taken(store.reset(context: command))
    }

    func stop() { store.cancelWork(id: nil) }

    private func taken(_ receipt: DispatchReceipt) throws(BoardError) {
        if receipt.rejection != nil { throw .tooMuchWaits }
    }

    // MARK: Recording

    private func record(_ commit: StoreCommit<R.State, R.Action, R.Effect>) {
        let command = commit.context as? StoreCommand
        // Appended before the commit can be recorded.
        if let command {
            pending.withLock { $0.append(Pending(revision: base + commit.revision, command: command)) }
        }
        recorder.append(step(of: commit, command), to: stream, .describing(commit.state), cause: commit.cause)
    }

    private func step(
        of commit: StoreCommit<R.State, R.Action, R.Effect>, _ command: StoreCommand?
    ) -> StoreStep {
        let action: RecordedAction?
        let kind: StoreStep.Kind
        switch commit.origin {
        case .action(let typed): (kind, action) = (.action, .describing(typed))
        case .rehydrated: (kind, action) = (command?.kind ?? .rehydrated, nil)
        case .reset: (kind, action) = (.reset, nil)
        }
        return StoreStep(
            kind, action: action, actor: command?.actor, effects: commit.effects.map(\.presentation),
            returnedTo: command?.returnedTo, idempotencyKey: command?.idempotencyKey)
    }

    func recorded(_ change: Change) {
        while let command = take(through: change.revision) { command.recorded.resolve(change.sequence) }
    }

    private func take(through revision: Int64) -> StoreCommand? {
        pending.withLock { pending in
            guard let first = pending.first, first.revision <= revision else { return nil }
            return pending.removeFirst()?.command
        }
    }
}
