extension AsyncSequence where Self: Sendable, Element: Sendable {
    /// Calls back with each value, and once with how the sequence ended: normally, or by throwing.
    ///
    /// The callbacks come one after the other. After ``FlowSubscription/cancel()``, or once the scope is cancelled, no
    /// callback begins, and neither end is reported.
    ///
    /// - Parameters:
    ///   - scope: where the sequence is iterated.
    ///   - onEach: called with each value.
    ///   - onComplete: called when the sequence ended.
    ///   - onThrow: called when the sequence failed; `onComplete` is not called then.
    /// - Returns: the subscription, which ends when it is released.
    public func subscribe(
        in scope: FlowScope, onEach: @escaping @Sendable (Element) -> Void,
        onComplete: @escaping @Sendable () -> Void = {}, onThrow: @escaping @Sendable (any Error) -> Void = { _ in }
    ) -> FlowSubscription {
        let subscriber = AnyFlowSubscriber()
        let job = scope.launch {
            do {
                for try await value in self {
                    if subscriber.hasLeft || Task.isCancelled { return }
                    onEach(value)
                }
                if !Task.isCancelled, subscriber.leave() { onComplete() }
            } catch {
                if !Task.isCancelled, subscriber.leave() { onThrow(error) }
            }
        }
        return FlowSubscription {
            _ = subscriber.leave()
            job.cancel()
        }
    }
}
