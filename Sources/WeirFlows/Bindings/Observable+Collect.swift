public import Observation

extension Observable where Self: AnyObject {
    /// Keeps a property at a flow's value, on the main actor, in order.
    ///
    /// The property has the current value before this returns, and then every later one in the order of the flow. One task
    /// serves the binding, not one per value.
    ///
    /// ```swift
    /// @MainActor @Observable final class FooViewModel {
    ///     private(set) var state: FooState
    ///     @ObservationIgnored private var binding: FlowSubscription?
    ///
    ///     init(_ operation: FooOperation) {
    ///         state = operation.state.value
    ///         binding = collect(operation.state, into: \.state)
    ///     }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - flow: what to follow.
    ///   - policy: every state by default, so that the property passes through each.
    ///   - path: the property.
    /// - Returns: the binding. Keep it in this object: then it ends when the object goes, without waiting for another
    ///   value. Kept elsewhere it ends by ``FlowSubscription/cancel()``; it never keeps the object alive.
    @MainActor
    public func collect<Flow: StateFlow>(
        _ flow: Flow, _ policy: DeliveryPolicy = .lossless, into path: ReferenceWritableKeyPath<Self, Flow.Value>
    ) -> FlowSubscription {
        let subscriber = flow.values(policy).makeSubscriber()
        if let current = subscriber.nextIfAny() { self[keyPath: path] = current }
        Task { @MainActor [weak self] in
            while let value = await subscriber.next(isolation: MainActor.shared) {
                guard let self else { return subscriber.cancel() }
                self[keyPath: path] = value
            }
        }
        return FlowSubscription(subscriber)
    }
}
