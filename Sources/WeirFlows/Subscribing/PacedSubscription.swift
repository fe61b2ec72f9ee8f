/// A callback subscriber that requests a number of values.
///
/// Unlike ``FlowSubscription`` it does not end when it is released, only by ``cancel()`` or the flow's end: the object
/// it calls back usually holds it.
package struct PacedSubscription: Sendable {
    let subscriber: AnyFlowSubscriber

    /// Requests more values; `Int.max` is without limit.
    ///
    /// Pending values are delivered before this returns, unless another thread is delivering to this subscriber.
    package func request(_ count: Int) {
        subscriber.request(count)
    }

    /// Ends the subscription: no callback begins after this.
    package func cancel() {
        subscriber.cancel()
    }
}

extension StateValues {
    /// Calls back with as many values as were requested; the end follows once everything pending was delivered.
    ///
    /// - Parameters:
    ///   - onValue: handles a value; never called before one was requested.
    ///   - onEnd: called once when there are no more values.
    /// - Returns: the subscription, with nothing requested yet.
    package func subscribePaced(
        onValue: @escaping @Sendable (Value) -> Void, onEnd: @escaping @Sendable (FlowEnd) -> Void
    ) -> PacedSubscription {
        PacedSubscription(subscriber: push(demand: 0, onValue, onEnd))
    }
}
