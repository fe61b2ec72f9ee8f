/// The place of a subscriber whom values are pushed to, on the threads that write.
@usableFromInline
final class PushedSeat<Value: Sendable>: Seat<Value>, @unchecked Sendable {
    /// How many more values may be pushed; `Int.max` is without bound.
    @exclusivity(unchecked) @usableFromInline var demand: Int
    /// Whether somebody is giving values to it right now.
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

    /// Whether the next value can be handed to it by who commits it.
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
