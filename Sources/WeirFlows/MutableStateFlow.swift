/// A state flow that can be written.
///
/// Its guarantees beyond ``StateFlow``:
///
/// - Any thread may write at any time, and no write waits for a subscriber.
/// - Writes are committed one after the other; ``update(_:)`` and ``compareAndSet(expect:update:)`` are atomic, and no
///   writer starves.
/// - Equality is evaluated outside every lock, so it may read the flow.
/// - Once the flow is sealed (``finish()``, ``seal(with:)``), no write changes it: late writes have no effect.
///
/// Callbacks run on the thread that writes, after the value is committed. A value written inside a callback is
/// delivered after the current delivery.
///
/// A floating-point NaN is not equal to itself under `==`, so writing NaN over NaN is a change each time. If you do not
/// want that, compare bit patterns (`areEquivalent: { $0.bitPattern == $1.bitPattern }`).
///
/// Use ``asStateFlow()`` to share a read-only view, which cannot be cast back.
public final class MutableStateFlow<Value: Sendable>: StateFlow {
    @usableFromInline let storage: FlowStorage<Value>

    /// Creates a flow whose values are compared by a closure.
    ///
    /// - Parameters:
    ///   - initial: the initial value.
    ///   - replay: how many of the latest values a new lossless or buffered subscriber receives first; with 1, only the
    ///     current one. The flow keeps that many.
    ///   - areEquivalent: whether the second value, which is about to replace the first, is not a change. May read the
    ///     flow.
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

    /// The current value.
    ///
    /// Setting an equal value, or any value once the flow is sealed, does nothing.
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

    /// Replaces the value by the result of a transform.
    ///
    /// - Parameter transform: computes the new value, without writing this flow. It runs again if another writer
    ///   commits first; after several attempts it runs while other writers wait.
    /// - Returns: the committed pair; the same value twice if nothing changed.
    /// - Throws: rethrows the transform's error; the flow is unchanged.
    @discardableResult @inlinable
    public func update(_ transform: (Value) throws -> Value) rethrows -> (old: Value, new: Value) {
        try storage.update(transform)
    }

    /// Mutates the value exclusively, while other writers wait.
    ///
    /// The body mutates a copy, because readers see the old value until it returns; the old value also stays if the
    /// body throws or changes nothing. A large array is therefore copied each time: to collect many items, store them
    /// elsewhere and keep a count or the newest ones in the flow.
    ///
    /// - Parameter body: mutates the value. It may read this flow; writing it stops the program. On a sealed flow it
    ///   mutates a copy that is discarded.
    /// - Returns: the result of the body.
    /// - Throws: rethrows the body's error; the flow is unchanged.
    @discardableResult @inlinable
    public func mutate<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        try storage.reserve(body).result
    }

    /// Replaces the value if it equals an expected value.
    ///
    /// - Parameters:
    ///   - expect: the value that the current one must be equal to.
    ///   - update: the new value; if it is equal to the current one, nothing changes.
    /// - Returns: whether the value was as expected. Always false on a sealed flow.
    @discardableResult @inlinable
    public func compareAndSet(expect: Value, update: Value) -> Bool {
        storage.compareAndSet(expect: expect, update: update)
    }

    /// Seals the flow: the current value is the last one.
    ///
    /// Later writes have no effect. Every subscriber receives its pending values, then ends with
    /// ``FlowEnd/finished``; a later subscriber receives the last value and the same end. Sealing a second time does
    /// nothing.
    public func finish() {
        _ = storage.seal { _ in nil }
    }

    /// Seals the flow with a last value, in one step.
    ///
    /// If several callers try, exactly one succeeds, so that a run has one end even if it is cancelled while it ends.
    ///
    /// - Parameter last: the last value; if it is equal to the current one, only the end is new.
    /// - Returns: whether this call sealed the flow; false if it was already sealed, and then nothing changes.
    @discardableResult
    public func seal(with last: Value) -> Bool {
        storage.seal { _ in last }
    }

    /// Seals the flow with a last value computed from the current one, in one step.
    ///
    /// - Parameter last: computes the last value. It runs again if a writer was faster; must not write this flow.
    /// - Returns: whether this call sealed the flow; false if it was already sealed, and then nothing changes.
    @discardableResult
    public func seal(_ last: (Value) -> Value) -> Bool {
        storage.seal(making: last)
    }

    /// Seals the flow with its current value if that satisfies a condition, in one step.
    ///
    /// - Parameter isLast: Runs again if a writer was faster; must not write this flow.
    /// - Returns: whether this call sealed the flow.
    package func seal(if isLast: (Value) -> Bool) -> Bool {
        do {
            return try storage.seal { value in
                guard isLast(value) else { throw NotLast() }
                return value
            }
        } catch {
            return false
        }
    }

    private struct NotLast: Error {}

    /// Whether the flow is sealed.
    public var isFinished: Bool { storage.snapshot.isSealed }

    /// The number of subscribers, as a flow.
    ///
    /// A lossless subscriber of it sees each arrival and departure in order.
    public var subscriptionCount: any StateFlow<Int> { ReadOnlyStateFlow(storage.subscriptionCount) }

    /// The same flow, read-only.
    @inlinable
    public func asStateFlow() -> ReadOnlyStateFlow<Value> {
        ReadOnlyStateFlow(storage)
    }
}

extension MutableStateFlow where Value: Equatable {
    /// Creates a flow whose values are compared by `==`.
    ///
    /// - Parameters:
    ///   - initial: the initial value.
    ///   - replay: how many of the latest values a new lossless or buffered subscriber receives first.
    @inlinable
    public convenience init(_ initial: Value, replay: Int = 1) {
        self.init(
            storage: FlowStorage(
                initial, replay: replay, comparesInPlace: Value.self is any ComparedInPlace.Type,
                areEquivalent: { $0 == $1 }))
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

/// Marks the standard types whose equality runs no foreign code and can therefore run under the lock.
@usableFromInline
protocol ComparedInPlace {}

extension Bool: ComparedInPlace {}
extension Int: ComparedInPlace {}
extension Int8: ComparedInPlace {}
extension Int16: ComparedInPlace {}
extension Int32: ComparedInPlace {}
extension Int64: ComparedInPlace {}
extension UInt: ComparedInPlace {}
extension UInt8: ComparedInPlace {}
extension UInt16: ComparedInPlace {}
extension UInt32: ComparedInPlace {}
extension UInt64: ComparedInPlace {}
extension Float: ComparedInPlace {}
extension Double: ComparedInPlace {}
extension String: ComparedInPlace {}
