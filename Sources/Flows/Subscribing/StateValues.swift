/// The current value of a flow and all that follow, under one delivery policy.
///
/// Each iteration is a subscriber of its own, there from the moment `for await` begins (or ``makeAsyncIterator()`` is
/// called): nothing written after that is missed. It leaves when the loop is broken out of, throws, or its task is
/// cancelled; a cancelled task gets no further value, even if one is waiting.
///
/// A subscriber that holds a value and does not ask for the next is freed when its iterator goes; `collect`
/// frees it as soon as its task is cancelled.
public struct StateValues<Value: Sendable>: AsyncSequence, Sendable {
    /// What the loop is given.
    public typealias Element = Value
    /// It does not fail.
    public typealias Failure = Never

    @usableFromInline let policy: DeliveryPolicy
    @usableFromInline let open: @Sendable (DeliveryPolicy) -> FlowStorage<Value>

    @inlinable
    init(_ policy: DeliveryPolicy, open: @escaping @Sendable (DeliveryPolicy) -> FlowStorage<Value>) {
        self.policy = policy
        self.open = open
    }

    /// Subscribes; the first ``Iterator/next(isolation:)`` does not wait.
    @inlinable
    public func makeAsyncIterator() -> Iterator {
        Iterator(makeSeat())
    }

    /// Runs a body for the current value and each that follows, one after the other.
    ///
    /// Returns when the flow is sealed, the task is cancelled, or the subscriber's buffer overflows under
    /// ``Overflow/fail``. The subscription is there before the first suspension. Cancelling the task frees it at once,
    /// even while the body runs.
    ///
    /// - Parameters:
    ///   - isolation: the actor the body runs on; the caller's.
    ///   - body: what to do with a value.
    /// - Returns: why there are no more values.
    /// - Throws: what the body throws, after leaving the flow.
    @discardableResult @inlinable
    public func collect(
        isolation: isolated (any Actor)? = #isolation, _ body: (Value) async throws -> Void
    ) async rethrows -> FlowEnd {
        let seat = makeSeat()
        defer { seat.cancel() }
        return try await withTaskCancellationHandler {
            // Not by `next`: each call that may suspend costs as much as all the rest.
            while true {
                switch seat.look() {
                case .value(let value, _): try await body(value)
                case .end(let end): return end
                case .nothing: await withUnsafeContinuation(isolation: isolation) { seat.storage.wait(seat, $0) }
                }
            }
        } onCancel: {
            seat.cancel()
        }
    }

    /// Runs a body that does not wait, for the current value and each that follows; otherwise as the other `collect`.
    ///
    /// What a body might wait for costs as much as the rest of a hand-over, so a body without `await` is spared it.
    ///
    /// - Parameters:
    ///   - isolation: the actor the body runs on; the caller's.
    ///   - body: what to do with a value.
    /// - Returns: why there are no more values.
    /// - Throws: what the body throws, after leaving the flow.
    @discardableResult @inlinable
    public func collect(
        isolation: isolated (any Actor)? = #isolation, _ body: (Value) throws -> Void
    ) async rethrows -> FlowEnd {
        let seat = makeSeat()
        defer { seat.cancel() }
        return try await withTaskCancellationHandler {
            while true {
                switch seat.look() {
                case .value(let value, _): try body(value)
                case .end(let end): return end
                case .nothing: await withUnsafeContinuation(isolation: isolation) { seat.storage.wait(seat, $0) }
                }
            }
        } onCancel: {
            seat.cancel()
        }
    }

    /// Calls back with the current value and each that follows.
    ///
    /// The first call comes before this returns; the others on the threads that write, outside every lock, never two at
    /// once. A value written from within a callback is given after the current delivery. A slow callback delays the
    /// writer that happened to deliver, and the subscribers after it, but no other writer.
    ///
    /// - Parameters:
    ///   - onValue: what to do with a value.
    ///   - onEnd: called once when the flow is sealed and everything pending was given, or when the buffer overflowed;
    ///     never after the subscription was cancelled.
    /// - Returns: the subscription, which ends when it goes.
    public func subscribe(
        onValue: @escaping @Sendable (Value) -> Void, onEnd: (@Sendable (FlowEnd) -> Void)? = nil
    ) -> FlowSubscription {
        FlowSubscription(push(demand: .max, onValue, onEnd))
    }

    func push(
        demand: Int, _ onValue: @escaping @Sendable (Value) -> Void, _ onEnd: (@Sendable (FlowEnd) -> Void)?
    ) -> AnySeat {
        let storage = open(policy)
        let seat = PushedSeat(storage, policy, demand: demand, onValue: onValue, onEnd: onEnd)
        storage.join(seat)
        return seat
    }

    @inlinable
    func makeSeat() -> PulledSeat<Value> {
        PulledSeat(open(policy), policy)
    }
}
