extension StateFlow {
    /// Runs a body for the current value and each that follows; see `collect` of `StateValues`.
    ///
    /// - Parameters:
    ///   - policy: what happens to values that arrive while the body runs.
    ///   - isolation: the actor the body runs on; the caller's.
    ///   - body: handles a value.
    /// - Returns: why there are no more values.
    /// - Throws: what the body throws, after leaving the flow.
    @discardableResult @inlinable
    public func collect(
        _ policy: DeliveryPolicy = .conflated, isolation: isolated (any Actor)? = #isolation,
        _ body: (Value) async throws -> Void
    ) async rethrows -> FlowEnd {
        try await values(policy).collect(isolation: isolation, body)
    }

    /// Runs a body that does not wait, for the current value and each that follows; cheaper than one that may.
    ///
    /// - Parameters:
    ///   - policy: what happens to values that arrive while the body runs.
    ///   - isolation: the actor the body runs on; the caller's.
    ///   - body: handles a value.
    /// - Returns: why there are no more values.
    /// - Throws: what the body throws, after leaving the flow.
    @discardableResult @inlinable
    public func collect(
        _ policy: DeliveryPolicy = .conflated, isolation: isolated (any Actor)? = #isolation,
        _ body: (Value) throws -> Void
    ) async rethrows -> FlowEnd {
        try await values(policy).collect(isolation: isolation, body)
    }

    /// Calls back with the current value and each that follows; see ``StateValues/subscribe(onValue:onEnd:)``.
    ///
    /// - Parameters:
    ///   - policy: what happens to values that arrive while a callback runs.
    ///   - onValue: handles a value; first called before this returns.
    ///   - onEnd: called once when there are no more values, and never after the subscription was cancelled.
    /// - Returns: the subscription, which ends when it is released.
    public func subscribe(
        _ policy: DeliveryPolicy, onValue: @escaping @Sendable (Value) -> Void,
        onEnd: (@Sendable (FlowEnd) -> Void)? = nil
    ) -> FlowSubscription {
        values(policy).subscribe(onValue: onValue, onEnd: onEnd)
    }

    /// Waits for a value that satisfies a predicate: the current one, or the first that does.
    ///
    /// It observes conflated: to find a short-lived value, use `values(.lossless).first(where:)`.
    ///
    /// - Parameters:
    ///   - isolation: the actor the predicate runs on; the caller's.
    ///   - predicate: whether a value is the one to wait for.
    /// - Returns: the value; nil if the flow ended or the task was cancelled first.
    /// - Throws: what the predicate throws.
    @inlinable
    public func first(
        isolation: isolated (any Actor)? = #isolation, where predicate: (Value) async throws -> Bool
    ) async rethrows -> Value? {
        var values = makeAsyncIterator()
        while let value = await values.next(isolation: isolation) {
            if try await predicate(value) { return value }
        }
        return nil
    }
}
