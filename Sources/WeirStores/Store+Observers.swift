public import WeirFlows

extension Store {
    /// Calls an observer with the current state now, and with each later one; adding it again does nothing.
    ///
    /// The store holds the observer weakly. Can be called during a notification.
    public func addObserver<Observer: StoreObserver>(_ observer: Observer) where Observer.State == State {
        let key = ObjectIdentifier(observer)
        guard observers.withLock({ $0[key] == nil }) else { return }
        let subscription = state.subscribe(.lossless) { [weak observer] state in
            observer?.stateChanged(to: state)
        }
        let surplus = observers.withLock { observers in
            if observers[key] == nil {
                observers[key] = subscription
                return nil as FlowSubscription?
            }
            return subscription
        }
        surplus?.cancel()
    }

    /// Removes an observer: no call begins after this.
    ///
    /// Removing it again does nothing.
    public func removeObserver<Observer: StoreObserver>(_ observer: Observer) where Observer.State == State {
        observers.withLock { $0.removeValue(forKey: ObjectIdentifier(observer)) }?.cancel()
    }

    /// Calls back with every commit in order while the subscription is retained, for recording the store.
    ///
    /// Called on the thread that reduces. No commit is omitted, even if it leads to an equal state.
    public func onCommit(
        _ body: @escaping @Sendable (StoreCommit<State, Action, Effect>) -> Void
    ) -> FlowSubscription {
        commits.subscribe(.lossless) { commit in commit.map(body) }
    }
}

/// Receives each state of a store, like the observer in *Redux for KMP*.
public protocol StoreObserver<State>: AnyObject, Sendable {
    /// The type of the states.
    associatedtype State: Sendable
    /// Called after a state was committed.
    ///
    /// Called on the thread that reduces, one state after the other; it may dispatch actions.
    func stateChanged(to state: State)
}

/// One commit of a store, for recording it.
public struct StoreCommit<State: Sendable, Action: Sendable, Effect: Sendable>: Sendable {
    /// What caused a commit.
    public enum Origin: Sendable {
        /// An action.
        case action(Action)
        /// A state that was restored from outside.
        case rehydrated
        /// A reset to the initial state.
        case reset
    }

    /// What caused the commit.
    public let origin: Origin
    /// The cause that the sender gave.
    public let cause: String?
    /// The resulting state.
    public let state: State
    /// The effects, in order.
    public let effects: [Effect]
    /// The number of the commit, from 1; the initial state has revision 0.
    public let revision: Int64
    /// The value that the sender attached.
    package let context: (any CommitContext)?
}

/// A value that a sender attaches to one commit of a store, for recording it.
///
/// The store passes it on without using it.
package protocol CommitContext: AnyObject, Sendable {}
