/// A subscriber that values are pushed to, on the threads that write.
@usableFromInline
final class PushSubscriber<Value: Sendable>: FlowSubscriber<Value>, @unchecked Sendable {
    /// How many more values may be pushed; `Int.max` is without limit.
    @exclusivity(unchecked) @usableFromInline var demand: Int
    /// Whether a thread is delivering values to it.
    @exclusivity(unchecked) @usableFromInline var isBusy = false
    @usableFromInline let onValue: @Sendable (Value) -> Void
    let onEnd: (@Sendable (FlowEnd) -> Void)?

    init(
        _ storage: FlowStorage<Value>, _ policy: DeliveryPolicy, demand: Int,
        onValue: @escaping @Sendable (Value) -> Void, onEnd: (@Sendable (FlowEnd) -> Void)?
    ) {
        self.demand = demand
        self.onValue = onValue
        self.onEnd = onEnd
        super.init(storage, policy)
    }

    /// Whether the thread that commits the next value can deliver it directly.
    @inlinable
    var isIdle: Bool { !isBusy && demand > 0 }

    @usableFromInline
    override func cancel() {
        storage.cancel(self)
    }

    override func request(_ count: Int) {
        storage.request(count, for: self)
    }
}
