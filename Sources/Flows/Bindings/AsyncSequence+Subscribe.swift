extension AsyncSequence where Self: Sendable, Element: Sendable {
    /// Calls back with each value, and once with how the sequence ended: by itself, or by throwing.
    ///
    /// The callbacks come one after the other. After ``FlowSubscription/cancel()``, or once the scope is cancelled, no
    /// callback begins, and neither of the two ends is told of.
    ///
    /// - Parameters:
    ///   - scope: where the sequence is iterated.
    ///   - onEach: what to do with a value.
    ///   - onComplete: the sequence ended.
    ///   - onThrow: the sequence failed; there is no `onComplete` then.
    /// - Returns: the subscription, which ends when it goes.
    public func subscribe(
        in scope: FlowScope, onEach: @escaping @Sendable (Element) -> Void,
        onComplete: @escaping @Sendable () -> Void = {}, onThrow: @escaping @Sendable (any Error) -> Void = { _ in }
    ) -> FlowSubscription {
        let ticket = AnySeat()
        let job = scope.launch {
            do {
                for try await value in self {
                    if ticket.hasLeft || Task.isCancelled { return }
                    onEach(value)
                }
                if !Task.isCancelled, ticket.leave() { onComplete() }
            } catch {
                if !Task.isCancelled, ticket.leave() { onThrow(error) }
            }
        }
        return FlowSubscription {
            _ = ticket.leave()
            job.cancel()
        }
    }
}
