extension AsyncSequence where Self: Sendable, Element: Sendable {
    /// Collects the sequence once, in a scope, as a state flow for all subscribers.
    ///
    /// - The sequence is iterated anew each time the collection starts, as determined by `started`.
    /// - When the sequence ends, the last value stays and subscribers continue to wait.
    /// - When it fails, the value stays, the handler is called once, and the next subscriber restarts the collection.
    /// - Cancelling the scope seals the flow, at once if the scope is already cancelled.
    /// - Releasing the flow does not end the collection; cancelling the scope does.
    ///
    /// - Parameters:
    ///   - scope: where the collection runs.
    ///   - started: when it starts and stops.
    ///   - initial: the value until the first one arrives.
    ///   - clock: measures the durations of `started`.
    ///   - areEquivalent: whether a new value is not a change.
    ///   - onFailure: called with a failure, on the task that collects. Without it, the only sign of a failure is that
    ///     no more values arrive.
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
    ///   - initial: the value until the first one arrives.
    ///   - clock: measures the durations of `started`.
    ///   - onFailure: called with a failure, on the task that collects.
    /// - Returns: the flow.
    public func stateIn(
        _ scope: FlowScope, started: SharingStarted, initial: Element,
        clock: any Clock<Duration> = ContinuousClock(), onFailure: (@Sendable (any Error) -> Void)? = nil
    ) -> ReadOnlyStateFlow<Element> where Element: Equatable {
        stateIn(scope, started: started, initial: initial, clock: clock, areEquivalent: ==, onFailure: onFailure)
    }
}

extension StateFlow where Value: Equatable {
    /// Collects the flow once, without loss, in a scope, for all subscribers, beginning with the current value.
    ///
    /// - Parameters:
    ///   - scope: where the collection runs.
    ///   - started: when it starts and stops.
    ///   - clock: measures the durations of `started`.
    /// - Returns: the flow.
    public func stateIn(
        _ scope: FlowScope, started: SharingStarted, clock: any Clock<Duration> = ContinuousClock()
    ) -> ReadOnlyStateFlow<Value> {
        values(.lossless).stateIn(scope, started: started, initial: value, clock: clock)
    }
}

/// When a shared flow starts to collect its upstream, and when it stops.
public struct SharingStarted: Sendable, Hashable {
    enum Rule: Hashable {
        case eagerly
        case lazily
        case whileSubscribed(stopTimeout: Duration, replayExpiration: Duration?)
    }

    let rule: Rule

    /// At once, and until the scope is cancelled.
    public static let eagerly = SharingStarted(rule: .eagerly)

    /// With the first subscriber, even one that leaves at once, until the scope is cancelled.
    public static let lazily = SharingStarted(rule: .lazily)

    /// From the first subscriber until some time after the last one has left.
    ///
    /// - Parameters:
    ///   - stopTimeout: how long to continue without subscribers; it restarts each time the last one leaves. A
    ///     subscriber that arrives within it finds the same collection still running.
    ///   - replayExpiration: how long the value is kept after stopping before it returns to the initial one; nil keeps
    ///     it forever.
    /// - Returns: the rule.
    public static func whileSubscribed(
        stopTimeout: Duration = .zero, replayExpiration: Duration? = nil
    ) -> SharingStarted {
        SharingStarted(rule: .whileSubscribed(stopTimeout: stopTimeout, replayExpiration: replayExpiration))
    }
}
