public import Flows

extension Store {
    /// Tells an observer the current state now, and each later one; a second time does nothing.
    ///
    /// The store keeps no hold on the observer. Safe during a notification.
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

    /// Tells the observer nothing more: no call begins after this.
    ///
    /// Removing it again does nothing.
    public func removeObserver<Observer: StoreObserver>(_ observer: Observer) where Observer.State == State {
        observers.withLock { $0.removeValue(forKey: ObjectIdentifier(observer)) }?.cancel()
    }

    /// Calls back with each step, in order, as long as the subscription is kept: for whoever records the store.
    ///
    /// Called on the thread that reduces. No step is left out, also when it leads to an equal state.
    public func onCommit(
        _ body: @escaping @Sendable (StoreCommit<State, Action, Effect>) -> Void
    ) -> FlowSubscription {
        commits.subscribe(.lossless) { commit in commit.map(body) }
    }
}
