extension AsyncSequence where Self: Sendable, Element: Sendable {
    /// Collects the sequence once, in a scope, as a state flow for all who watch.
    ///
    /// - The sequence is iterated anew each time the collection starts, as `started` says.
    /// - When the sequence ends, the last value stays and subscribers wait on.
    /// - When it fails, the value stays, the handler is told once, and the next subscriber that comes starts it again.
    /// - Cancelling the scope seals the flow: every subscriber's sequence ends. On a scope cancelled before, at once.
    /// - Letting go of the flow ends nothing: it is the scope that is ended.
    ///
    /// - Parameters:
    ///   - scope: where the collection runs.
    ///   - started: when it starts and stops.
    ///   - initial: the value until the first one comes.
    ///   - clock: what the durations of `started` are measured by.
    ///   - areEquivalent: whether a new value is no change.
    ///   - onFailure: told of a failure, on the task that collects. Without one a failure shows only in that no more
    ///     values come.
    /// - Returns: the flow.
    public func stateIn(
        _ scope: FlowScope, started: SharingStarted, initial: Element,
        clock: any Clock<Duration> = ContinuousClock(),
        areEquivalent: @escaping @Sendable (Element, Element) -> Bool,
        onFailure: (@Sendable (any Error) -> Void)? = nil
    ) -> ReadOnlyStateFlow<Element> {
        let state = FlowStorage(initial, areEquivalent: areEquivalent)
        SharedFlow(self, scope, started, initial: initial, clock: clock, state: state, onFailure: onFailure).begin()
        return ReadOnlyStateFlow(state)
    }

    /// Collects the sequence once, in a scope, as a state flow of values compared by `==`.
    ///
    /// - Parameters:
    ///   - scope: where the collection runs.
    ///   - started: when it starts and stops.
    ///   - initial: the value until the first one comes.
    ///   - clock: what the durations of `started` are measured by.
    ///   - onFailure: told of a failure, on the task that collects.
    /// - Returns: the flow.
    public func stateIn(
        _ scope: FlowScope, started: SharingStarted, initial: Element,
        clock: any Clock<Duration> = ContinuousClock(), onFailure: (@Sendable (any Error) -> Void)? = nil
    ) -> ReadOnlyStateFlow<Element> where Element: Equatable {
        stateIn(scope, started: started, initial: initial, clock: clock, areEquivalent: ==, onFailure: onFailure)
    }
}

extension StateFlow where Value: Equatable {
    /// Collects the flow once, without loss, in a scope, for all who watch; it begins with the current value.
    ///
    /// - Parameters:
    ///   - scope: where the collection runs.
    ///   - started: when it starts and stops.
    ///   - clock: what the durations of `started` are measured by.
    /// - Returns: the flow.
    public func stateIn(
        _ scope: FlowScope, started: SharingStarted, clock: any Clock<Duration> = ContinuousClock()
    ) -> ReadOnlyStateFlow<Value> {
        values(.lossless).stateIn(scope, started: started, initial: value, clock: clock)
    }
}
