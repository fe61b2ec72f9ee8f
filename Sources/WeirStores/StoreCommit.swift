/// One step of a store, for recording it.
public struct StoreCommit<State: Sendable, Action: Sendable, Effect: Sendable>: Sendable {
    /// What caused a state.
    public enum Origin: Sendable {
        /// An action.
        case action(Action)
        /// A state that was restored from outside.
        case rehydrated
        /// A reset to the initial state.
        case reset
    }

    /// What caused the state.
    public let origin: Origin
    /// Who or what caused it, as given by the sender.
    public let cause: String?
    /// The state after the step.
    public let state: State
    /// The effects of the step, in order.
    public let effects: [Effect]
    /// Its place among the store's steps, from 1; the initial state is 0.
    public let revision: Int64
    /// The value that its sender attached.
    package let context: (any CommitContext)?
}

/// A value that a sender attaches to one step of a store, for recording it.
///
/// The store passes it to the commit unread.
package protocol CommitContext: AnyObject, Sendable {}
