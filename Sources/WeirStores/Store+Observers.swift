public import WeirFlows

extension Store {
    /// Calls an observer with the current state now, and with each later one; adding it again does nothing.
    ///
    /// The store holds the observer weakly. Safe during a notification.
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

    /// Calls back with each step, in order, while the subscription is kept; for recording the store.
    ///
    /// Called on the thread that reduces. No step is left out, even if it leads to an equal state.
    public func onCommit(
        _ body: @escaping @Sendable (StoreCommit<State, Action, Effect>) -> Void
    ) -> FlowSubscription {
        commits.subscribe(.lossless) { commit in commit.map(body) }
    }
}

/// Receives each state of a store, as in the article's Kotlin.
public protocol StoreObserver<State>: AnyObject, Sendable {
    /// The type of the states.
    associatedtype State: Sendable
    /// A state was committed.
    ///
    /// Called on the thread that reduces, one state after the other; it may dispatch actions.
    func stateChanged(to state: State)
}
