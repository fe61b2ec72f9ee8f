/// What actions do to a state: a pure step, and the work it starts.
///
/// The source is the `StateReducer` of *Redux for KMP*. Unlike there it is synchronous: a reducer that suspends would
/// overwrite what another action did in the meantime. Work that takes time goes through
/// ``Dispatcher/run(id:cancelInFlight:_:)``, which dispatches its result as a further action.
public protocol Reducer<State, Action, Effect>: Sendable {
    /// What the store contains.
    associatedtype State: Equatable & Sendable
    /// What can be done.
    associatedtype Action: Sendable
    /// What happens once, outside the state: a message, a navigation.
    associatedtype Effect: Sendable

    /// The initial state of a store, also after a reset.
    var initialState: State { get }

    /// Computes the state after an action.
    ///
    /// Called once per action, never for two actions at a time. Must not wait.
    /// - Parameters:
    ///   - action: the action.
    ///   - state: the state before the action.
    ///   - dispatch: starts and cancels work. Dispatching an action from here is rejected: return the state instead.
    /// - Returns: the state after the action, and its effects.
    func reduce(_ action: Action, _ state: State, _ dispatch: Dispatcher<Action>) -> Reduced<State, Effect>
}
