/// What actions do to a state: a pure step, and the work it asks for.
///
/// The source is the `StateReducer` of *Redux for KMP*. Unlike there it is synchronous: a reducer that suspends would
/// write over what another action did meanwhile. What takes time goes through ``Dispatch/run(id:cancelInFlight:_:)``,
/// which tells its result as a further action.
public protocol Reducer<State, Action, Effect>: Sendable {
    /// What the store holds.
    associatedtype State: Equatable & Sendable
    /// What can be done.
    associatedtype Action: Sendable
    /// What happens once, outside the state: a message, a navigation.
    associatedtype Effect: Sendable

    /// The state of a new store, and of one that is reset.
    var initialState: State { get }

    /// Tells what an action makes of a state.
    ///
    /// Called once an action, never for two at a time. Must not wait.
    /// - Parameters:
    ///   - action: what is to be done.
    ///   - state: the state before.
    ///   - dispatch: starts and cancels work. Dispatching an action from here is rejected: return the state instead.
    /// - Returns: the state after the action, and what happens once.
    func reduce(_ action: Action, _ state: State, _ dispatch: Dispatch<Action>) -> Reduced<State, Effect>
}
