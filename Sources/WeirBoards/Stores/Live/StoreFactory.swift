import WeirJournals
import WeirStates
import WeirStores

/// Puts stores of one kind, whose types are not known here, to work.
protocol StoreFactory: Sendable {
    /// Throws when a recorded state no longer decodes.
    func check(_ state: StateRecord) throws
    /// The store, in the state its last recorded change led to.
    func store(
        _ view: StoreView, recorder: Recorder, now: @escaping @Sendable () -> Timestamp,
        accepts: @escaping @Sendable () -> Bool
    ) -> any LiveStore
}

/// Puts stores of one reducer to work.
struct ReducerFactory<R: Reducer>: StoreFactory
where R.State: RecordableState, R.Action: StoreAction, R.Effect: StoreEffect {
    let reducer: R

    func check(_ state: StateRecord) throws { _ = try state.state(as: R.State.self) }

    func store(
        _ view: StoreView, recorder: Recorder, now: @escaping @Sendable () -> Timestamp,
        accepts: @escaping @Sendable () -> Bool
    ) -> any LiveStore {
        RecordedStore(reducer, view, recorder: recorder, now: now, accepts: accepts)
    }
}
