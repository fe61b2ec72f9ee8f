/// A flow that holds its value itself, as one that others are derived from.
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
        let seat = PushedSeat(self, policy, demand: .max, onValue: onValue, onEnd: { _ in onEnd() })
        join(seat, replays: false)
        return FlowSubscription(seat)
    }
}
