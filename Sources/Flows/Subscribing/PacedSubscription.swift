/// A callback subscriber that says how many values it wants.
///
/// Unlike ``FlowSubscription`` it does not end when it goes, only by ``cancel()`` or the flow's end: what it calls back
/// usually holds it.
package struct PacedSubscription: Sendable {
    let seat: AnySeat

    /// Asks for so many more values; `Int.max` is without bound.
    ///
    /// What is there already is given before this returns, unless another thread is giving to this subscriber.
    package func request(_ count: Int) {
        seat.request(count)
    }

    /// Ends the subscription: no callback begins after this.
    package func cancel() {
        seat.cancel()
    }
}

extension StateValues {
    /// Calls back with values, as many as were asked for; the end comes once everything pending was given.
    ///
    /// - Parameters:
    ///   - onValue: what to do with a value; never before one was asked for.
    ///   - onEnd: called once when there are no more values.
    /// - Returns: the subscription, with nothing asked for yet.
    package func subscribePaced(
        onValue: @escaping @Sendable (Value) -> Void, onEnd: @escaping @Sendable (FlowEnd) -> Void
    ) -> PacedSubscription {
        PacedSubscription(seat: push(demand: 0, onValue, onEnd))
    }
}
