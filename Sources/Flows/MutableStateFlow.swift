/// A state flow that can be written.
///
/// What it guarantees beyond ``StateFlow``:
///
/// - Any thread may write at any time, and no write waits for a subscriber.
/// - Writes are committed one after the other; ``update(_:)`` and ``compareAndSet(expect:update:)`` are atomic, and no
///   writer starves.
/// - Equality is asked outside every lock, so it may read the flow.
/// - Once it is sealed (``finish()``, ``seal(with:)``) no write changes it any more: who was too late writes in vain.
///
/// Its callbacks run on the thread that writes, after the value is committed; a value written from within one is given
/// after the current delivery.
///
/// A floating-point NaN is not equal to itself under `==`, so writing NaN over NaN is a change each time; compare by bit
/// pattern (`areEquivalent: { $0.bitPattern == $1.bitPattern }`) where it should not be.
///
/// Hand out ``asStateFlow()``, which cannot be cast back.
public final class MutableStateFlow<Value: Sendable>: StateFlow {
    @usableFromInline let storage: FlowStorage<Value>

    /// Makes a flow whose values are compared by a closure.
    ///
    /// - Parameters:
    ///   - initial: the value to begin with.
    ///   - replay: how many of the latest values a new lossless or buffered subscriber is given first; 1 is the current
    ///     one only. The flow keeps that many.
    ///   - areEquivalent: whether the second value, which is about to replace the first, is no change. May read the flow.
    @inlinable
    public convenience init(
        _ initial: Value, replay: Int = 1, areEquivalent: @escaping @Sendable (Value, Value) -> Bool
    ) {
        self.init(storage: FlowStorage(initial, replay: replay, areEquivalent: areEquivalent))
    }

    @inlinable
    init(storage: FlowStorage<Value>) {
        self.storage = storage
    }

    /// The current value; setting one that is equal to it, or any once the flow is sealed, does nothing.
    @inlinable
    public var value: Value {
        get { storage.value }
        set { storage.set(newValue) }
    }

    /// The current value and all that follow.
    @inlinable
    public func values(_ policy: DeliveryPolicy) -> StateValues<Value> {
        StateValues(policy) { [storage] _ in storage }
    }

    /// Replaces the value by what a transform makes of it.
    ///
    /// - Parameter transform: makes the new value. It runs again when another writer was faster; after a few such times
    ///   it runs while the others wait. Must not write this flow.
    /// - Returns: the pair that was committed; the same value twice when nothing changed.
    /// - Throws: what the transform throws; then nothing has changed.
    @discardableResult @inlinable
    public func update(_ transform: (Value) throws -> Value) rethrows -> (old: Value, new: Value) {
        try storage.update(transform)
    }

    /// Changes the value once, while other writers wait.
    ///
    /// The body changes a copy, since until it returns others read the value as it was, which also stays when the body
    /// throws or changes nothing. So a large array is copied each time: to collect many things, keep them elsewhere, and a
    /// count or the newest of them in the flow.
    ///
    /// - Parameter body: changes the value; it may read this flow but not write it, which stops the program. On a sealed
    ///   flow it changes a copy that nobody sees.
    /// - Returns: what the body returns.
    /// - Throws: what the body throws; then nothing has changed.
    @discardableResult @inlinable
    public func mutate<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        try storage.reserve(body).result
    }

    /// Replaces the value if it is what is expected.
    ///
    /// - Parameters:
    ///   - expect: what the current value must be equal to.
    ///   - update: the new value; when it is equal to the current one nothing changes.
    /// - Returns: whether the value was as expected. Always false on a sealed flow.
    @discardableResult @inlinable
    public func compareAndSet(expect: Value, update: Value) -> Bool {
        storage.compareAndSet(expect: expect, update: update)
    }

    /// Seals the flow: the current value is the last one.
    ///
    /// Later writes change nothing and return quietly. Every subscriber gets what is still pending for it, then ends with
    /// ``FlowEnd/finished``; one that comes later gets the last value and the same end. A second time does nothing.
    public func finish() {
        _ = storage.seal { _ in nil }
    }

    /// Seals the flow with a last value, in one step.
    ///
    /// Of several that try, exactly one wins: so a run has one end even when it is cancelled while it ends.
    ///
    /// - Parameter last: the last value; when it is equal to the current one only the end is new.
    /// - Returns: whether this call sealed the flow; false when it was sealed before, and then nothing changes.
    @discardableResult
    public func seal(with last: Value) -> Bool {
        storage.seal { _ in last }
    }

    /// Seals the flow with a last value made of the current one, in one step.
    ///
    /// - Parameter last: makes the last value. It runs again when a writer was faster; must not write this flow.
    /// - Returns: whether this call sealed the flow; false when it was sealed before, and then nothing changes.
    @discardableResult
    public func seal(_ last: (Value) -> Value) -> Bool {
        storage.seal(making: last)
    }

    /// Whether the flow is sealed.
    public var isFinished: Bool { storage.snapshot.isSealed }

    /// How many subscribers there are, as a flow: a lossless subscriber of it sees each coming and going in order.
    public var subscriptionCount: any StateFlow<Int> { ReadOnlyStateFlow(storage.subscriptionCount) }

    /// The same flow, for reading only.
    @inlinable
    public func asStateFlow() -> ReadOnlyStateFlow<Value> {
        ReadOnlyStateFlow(storage)
    }
}

extension MutableStateFlow where Value: Equatable {
    /// Makes a flow whose values are compared by `==`.
    ///
    /// - Parameters:
    ///   - initial: the value to begin with.
    ///   - replay: how many of the latest values a new lossless or buffered subscriber is given first.
    @inlinable
    public convenience init(_ initial: Value, replay: Int = 1) {
        self.init(
            storage: FlowStorage(
                initial, replay: replay, comparesInPlace: Value.self is any ComparedInPlace.Type,
                areEquivalent: { $0 == $1 }))
    }
}
