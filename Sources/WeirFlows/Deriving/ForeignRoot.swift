/// Another implementation of a state flow, as a root.
final class ForeignRoot<Flow: StateFlow>: FlowRoot {
    typealias Value = Flow.Value

    private let flow: Flow

    init(_ flow: Flow) {
        self.flow = flow
    }

    var versioned: (value: Flow.Value, version: Int) { (flow.value, 0) }

    func observe(
        _ policy: DeliveryPolicy, onValue: @escaping @Sendable (Flow.Value) -> Void,
        onEnd: @escaping @Sendable () -> Void
    ) -> FlowSubscription {
        flow.subscribe(policy, onValue: onValue, onEnd: { _ in onEnd() })
    }
}
