/// A flow that holds its own value, as a source that other flows derive from.
protocol FlowRoot<Value>: AnyObject, Sendable {
    associatedtype Value: Sendable

    /// The current value, and a number that changes with it.
    var versioned: (value: Value, version: Int) { get }

    /// Calls back with the current value and each that follows, without replay.
    func observe(
        _ policy: DeliveryPolicy, onValue: @escaping @Sendable (Value) -> Void, onEnd: @escaping @Sendable () -> Void
    ) -> FlowSubscription
}

extension FlowStorage: FlowRoot {
    var versioned: (value: Value, version: Int) {
        let (value, version, _) = snapshot
        return (value, version)
    }

    func observe(
        _ policy: DeliveryPolicy, onValue: @escaping @Sendable (Value) -> Void, onEnd: @escaping @Sendable () -> Void
    ) -> FlowSubscription {
        let subscriber = PushSubscriber(self, policy, demand: .max, onValue: onValue, onEnd: { _ in onEnd() })
        join(subscriber, replays: false)
        return FlowSubscription(subscriber)
    }
}
