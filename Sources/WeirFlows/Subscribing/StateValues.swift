/// The current value of a flow and all later ones, under one delivery policy.
///
/// Each iteration is a separate subscriber, registered when `for await` begins or ``makeAsyncIterator()`` is called:
/// it misses no later write. It leaves when the loop breaks or throws, or its task is cancelled; a cancelled task
/// receives no further value, even if one is waiting.
///
/// A subscriber that holds a value and does not request the next is freed when its iterator is released; `collect`
/// frees it as soon as its task is cancelled.
public struct StateValues<Value: Sendable>: AsyncSequence, Sendable {
    /// The type of the values.
    public typealias Element = Value
    /// The sequence never fails.
    public typealias Failure = Never

    @usableFromInline let policy: DeliveryPolicy
    @usableFromInline let open: @Sendable (DeliveryPolicy) -> FlowStorage<Value>

    @inlinable
    init(_ policy: DeliveryPolicy, open: @escaping @Sendable (DeliveryPolicy) -> FlowStorage<Value>) {
        self.policy = policy
        self.open = open
    }

    /// Subscribes; the first ``Iterator/next(isolation:)`` does not suspend.
    @inlinable
    public func makeAsyncIterator() -> Iterator {
        Iterator(makeSubscriber())
    }

    /// Runs a body for the current value and each later one, in order.
    ///
    /// Returns when the flow is sealed, the task is cancelled, or the subscriber's buffer overflows under
    /// ``Overflow/fail``. The subscription exists before the first suspension. Cancelling the task frees it at once,
    /// even while the body runs.
    ///
    /// - Parameters:
    ///   - isolation: the actor the body runs on; the caller's.
    ///   - body: handles a value.
    /// - Returns: why there are no more values.
    /// - Throws: what the body throws, after leaving the flow.
    @discardableResult @inlinable
    public func collect(
        isolation: isolated (any Actor)? = #isolation, _ body: (Value) async throws -> Void
    ) async rethrows -> FlowEnd {
        let subscriber = makeSubscriber()
        defer { subscriber.cancel() }
        return try await withTaskCancellationHandler {
            // Does not call `next`: each call that can suspend costs as much as everything else together.
            while true {
                switch subscriber.look() {
                case .value(let value, _): try await body(value)
                case .end(let end): return end
                // Unsafe memory: a subscriber removes its continuation before resuming it, so resumes it once.
                case .nothing:
                    await withUnsafeContinuation(isolation: isolation) { subscriber.storage.wait(subscriber, $0) }
                }
            }
        } onCancel: {
            subscriber.cancel()
        }
    }

    /// Runs a synchronous body for the current value and each later one; otherwise like the other `collect`.
    ///
    /// The ability to suspend costs as much as the rest of a hand-off; a body without `await` avoids it.
    ///
    /// - Parameters:
    ///   - isolation: the actor the body runs on; the caller's.
    ///   - body: handles a value.
    /// - Returns: why there are no more values.
    /// - Throws: what the body throws, after leaving the flow.
    @discardableResult @inlinable
    public func collect(
        isolation: isolated (any Actor)? = #isolation, _ body: (Value) throws -> Void
    ) async rethrows -> FlowEnd {
        let subscriber = makeSubscriber()
        defer { subscriber.cancel() }
        return try await withTaskCancellationHandler {
            while true {
                switch subscriber.look() {
                case .value(let value, _): try body(value)
                case .end(let end): return end
                case .nothing:
                    await withUnsafeContinuation(isolation: isolation) { subscriber.storage.wait(subscriber, $0) }
                }
            }
        } onCancel: {
            subscriber.cancel()
        }
    }

    /// Calls back with the current value and each later one.
    ///
    /// The first call happens before this returns; later ones happen on the threads that write, outside every lock,
    /// and never overlap. A value written inside a callback is delivered after the current delivery. A slow callback
    /// delays the writer that delivers, and the subscribers after it, but no other writer.
    ///
    /// - Parameters:
    ///   - onValue: handles a value.
    ///   - onEnd: called once when the flow is sealed and everything pending was delivered, or when the buffer
    ///     overflowed; never after the subscription was cancelled.
    /// - Returns: the subscription, which ends when it is released.
    public func subscribe(
        onValue: @escaping @Sendable (Value) -> Void, onEnd: (@Sendable (FlowEnd) -> Void)? = nil
    ) -> FlowSubscription {
        FlowSubscription(push(demand: .max, onValue, onEnd))
    }

    func push(
        demand: Int, _ onValue: @escaping @Sendable (Value) -> Void, _ onEnd: (@Sendable (FlowEnd) -> Void)?
    ) -> AnyFlowSubscriber {
        let storage = open(policy)
        let subscriber = PushSubscriber(storage, policy, demand: demand, onValue: onValue, onEnd: onEnd)
        storage.join(subscriber)
        return subscriber
    }

    @inlinable
    func makeSubscriber() -> PullSubscriber<Value> {
        PullSubscriber(open(policy), policy)
    }
}

extension StateValues {
    /// A subscriber that pulls each value.
    ///
    /// A copy is the same subscriber; it leaves when the last copy is released.
    public struct Iterator: AsyncIteratorProtocol {
        /// The type of the values.
        public typealias Element = Value
        /// The sequence never fails.
        public typealias Failure = Never

        @usableFromInline let subscriber: PullSubscriber<Value>

        @inlinable
        init(_ subscriber: PullSubscriber<Value>) {
            self.subscriber = subscriber
        }

        /// Why there are no more values; nil while there may be more.
        public var end: FlowEnd? { subscriber.end }

        /// Waits for the next value.
        ///
        /// - Returns: the value, or nil once the flow is sealed, the task is cancelled or the buffer overflowed.
        @inlinable
        public mutating func next() async -> Value? {
            await next(isolation: nil)
        }

        /// Waits for the next value on the caller's actor.
        ///
        /// - Parameter actor: the caller's actor, which is not left if a value is already available.
        /// - Returns: the value, or nil once the flow is sealed, the task is cancelled or the buffer overflowed.
        @inlinable
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Value? {
            let subscriber = subscriber
            if !Task.isCancelled, let value = subscriber.nextIfAny() { return value }
            return await withTaskCancellationHandler {
                await subscriber.next(isolation: actor)
            } onCancel: {
                subscriber.cancel()
            }
        }
    }
}
