public import Observation

extension Observable where Self: AnyObject {
    /// Binds a property to a flow on the main actor, in order.
    ///
    /// The property has the current value when this returns, then each later one. One task serves the binding, not
    /// one per value.
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
    /// - Returns: the binding, which ends when it is released or by ``FlowSubscription/cancel()``. Store it in this
    ///   object, so that both end together. It does not retain the object.
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
