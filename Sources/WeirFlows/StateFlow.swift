/// A value over time that always has a current value, and that any number of subscribers can observe.
///
/// Iterate it (`for await state in flow`), read its ``value``, or give it a callback. Every state flow guarantees:
///
/// - A new subscriber receives the current value first, without waiting for a change.
/// - Values arrive in the order in which they were committed, which is the same for every subscriber.
/// - A value equal to the current one is not a change: no subscriber receives it.
/// - After the last write every subscriber receives the last value, however slow it is.
/// - No subscriber makes a writer wait.
/// - A subscriber with ``DeliveryPolicy/lossless`` sees every state. With ``DeliveryPolicy/conflated``, which plain
///   iteration uses, a slow subscriber skips to the latest.
/// - Cancelling the task that iterates ends the loop at once, with no further value.
///
/// It does not guarantee on which thread a callback runs, or in which order the subscribers receive one value.
///
/// Modelled on Kotlin's `StateFlow`, plus lossless delivery, an end (``MutableStateFlow/finish()``), and cancellation
/// in both directions.
public protocol StateFlow<Value>: AsyncSequence, Sendable
where Element == Value, Failure == Never, AsyncIterator == StateValues<Value>.Iterator {
    /// The type of its values.
    associatedtype Value: Sendable

    /// The current value: the latest write of any thread.
    var value: Value { get }

    /// The current value and all later ones, for one subscriber.
    ///
    /// - Parameter policy: what happens to values that arrive faster than they are taken.
    /// - Returns: the values; each iteration of them is a subscriber.
    func values(_ policy: DeliveryPolicy) -> StateValues<Value>
}

extension StateFlow {
    /// Iterates conflated: the current value first, then the latest each time.
    @inlinable
    public func makeAsyncIterator() -> StateValues<Value>.Iterator {
        values(.conflated).makeAsyncIterator()
    }
}

extension StateFlow {
    /// Runs a body for the current value and each later one; see `collect` of `StateValues`.
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

    /// Runs a synchronous body for the current value and each later one; cheaper than an `async` body.
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

    /// Calls back with the current value and each later one; see ``StateValues/subscribe(onValue:onEnd:)``.
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

extension StateFlow {
    /// Runs a body for the current value and each later one, cancelling the body that still runs for an older value.
    ///
    /// Bodies never overlap. Cancelling the task cancels the running body too.
    ///
    /// - Parameter body: handles a value; it should check for cancellation.
    /// - Returns: why there are no more values, after the last body has ended.
    /// - Throws: the error of a body that was not cancelled for a newer value.
    @discardableResult
    public func collectLatest<Failure: Error>(
        _ body: @escaping @Sendable (Value) async throws(Failure) -> Void
    ) async throws(Failure) -> FlowEnd {
        let scope = FlowScope()
        let subscriber = values(.conflated).makeSubscriber()
        let job = await withTaskCancellationHandler {
            var job: FlowJob?
            while let value = await subscriber.next(isolation: nil) {
                job?.cancel()
                await job?.ended()
                if job?.outcome.value?.error != nil { break }
                job = scope.launch {
                    do {
                        try await body(value)
                    } catch {
                        if !Task.isCancelled { subscriber.cancel() }  // stops waiting for further values
                        throw error
                    }
                }
            }
            await job?.ended()
            return job
        } onCancel: {
            subscriber.cancel()
            scope.cancel()
        }
        if let failure = job?.outcome.value?.error as? Failure { throw failure }
        return subscriber.end ?? .cancelled
    }
}

/// A read-only state flow: it cannot be cast back to the one that writes.
public struct ReadOnlyStateFlow<Value: Sendable>: StateFlow {
    @usableFromInline let storage: FlowStorage<Value>

    @inlinable
    init(_ storage: FlowStorage<Value>) {
        self.storage = storage
    }

    /// The current value.
    @inlinable
    public var value: Value { storage.value }

    /// The current value and all that follow.
    @inlinable
    public func values(_ policy: DeliveryPolicy) -> StateValues<Value> {
        StateValues(policy) { [storage] _ in storage }
    }
}
