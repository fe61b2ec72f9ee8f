public import Synchronization

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

/// The machine of a flow, its lock, and everything that must run outside that lock.
///
/// Equality, transforms, callbacks, continuations and the release of old values run after the lock is released.
/// Writers first try without reserving the flow, because equality and transforms can be slow. A writer that keeps
/// losing, or whose body must not run twice, reserves the flow; other writers then wait, readers never do.
///
/// Code that runs for each value is inlinable, which makes it about five times faster than unspecialised code.
@usableFromInline
final class FlowStorage<Value: Sendable>: @unchecked Sendable {
    @usableFromInline let lock = SpinLock()
    /// A copy of the value, if it fits in a word; written under the lock.
    @usableFromInline let word: Atomic<UInt>
    @usableFromInline let comparesInPlace: Bool
    @usableFromInline let areEquivalent: @Sendable (Value, Value) -> Bool
    @exclusivity(unchecked) @usableFromInline var counter: FlowStorage<Int>?
    @usableFromInline let gate = Lock(detectsNesting: true)
    /// The subscriptions that feed a derived flow; they live as long as this object.
    var upstream: [FlowSubscription] = []
    @exclusivity(unchecked) @usableFromInline var machine: FlowMachine<Value>

    @inlinable
    init(
        _ initial: Value, replay: Int = 1, comparesInPlace: Bool = false,
        areEquivalent: @escaping @Sendable (Value, Value) -> Bool
    ) {
        self.areEquivalent = areEquivalent
        self.comparesInPlace = comparesInPlace
        word = Atomic(FlowStorage.fitsWord ? FlowStorage.word(of: initial) : 0)
        machine = FlowMachine(initial, replay: replay)
    }

    // MARK: Reading

    @inlinable
    var value: Value {
        if FlowStorage.fitsWord { return valueOfWord }
        lock.lock()
        defer { lock.unlock() }
        return machine.value
    }

    @inlinable
    var snapshot: (value: Value, version: Int, isSealed: Bool) {
        lock.lock()
        defer { lock.unlock() }
        return (machine.value, machine.version, machine.isSealed)
    }

    /// The number of entries in the log of the lossless subscribers, and its capacity.
    var backlog: (count: Int, capacity: Int) {
        lock.lock()
        defer { lock.unlock() }
        return (machine.log.count, machine.log.capacity)
    }

    var waiting: Int {
        lock.lock()
        defer { lock.unlock() }
        return machine.waiting.count
    }

    // MARK: Writing

    @inlinable
    func set(_ new: Value) {
        guard comparesInPlace else {
            _ = update { _ in new }
            return
        }
        enter()
        if machine.isSealed || areEquivalent(machine.value, new) { return lock.unlock() }
        commitAndUnlock(new)
    }

    @inlinable
    func update(_ transform: (Value) throws -> Value) rethrows -> (old: Value, new: Value) {
        for _ in 0..<8 {
            let (old, version, isSealed) = snapshot
            if isSealed { return (old, old) }
            let new = try transform(old)
            if areEquivalent(old, new) { return (old, old) }
            if commit(new, after: version) { return (old, new) }
        }
        return try reserve { value in value = try transform(value) }.committed
    }

    @inlinable
    func compareAndSet(expect: Value, update: Value) -> Bool {
        while true {
            let (current, version, isSealed) = snapshot
            if isSealed || !areEquivalent(current, expect) { return false }
            if areEquivalent(current, update) { return true }
            if commit(update, after: version) { return true }
        }
    }

    /// Seals the flow, with an optional last value; returns false if it was already sealed.
    ///
    /// If `last` throws, the flow is unchanged.
    func seal(making last: (Value) throws -> Value?) rethrows -> Bool {
        while true {
            let (current, version, isSealed) = snapshot
            if isSealed { return false }
            let last = try last(current)
            let isNew = last.map { !areEquivalent(current, $0) } ?? false
            enter()
            if machine.isSealed || (last != nil && machine.version != version) {
                lock.unlock()
                continue
            }
            var wake = FlowMachine<Value>.Wake()
            var old: Value?
            if isNew, let last { old = machine.commit(last, &wake) }
            let value = machine.value
            let settling = machine.seal(&wake)
            unlockAfterWriting()
            _ = old
            perform(&wake, value)
            for subscriber in settling { settle(subscriber) }
            return true
        }
    }

    func finish() {
        _ = seal { _ in nil }
    }

    /// Acquires the lock as a writer, after any reservation of another writer.
    @inlinable @inline(__always)
    func enter() {
        lock.lock()
        if machine.isReserved { waitForReservation() }
    }

    /// Waits, without the lock, until the flow is not reserved, then acquires the lock again.
    @usableFromInline @inline(never)
    func waitForReservation() {
        while machine.isReserved {
            lock.unlock()
            lockGate()
            gate.unlock()
            lock.lock()
        }
    }

    @usableFromInline
    func lockGate() {
        gate.lock(
            nesting: "a flow was written inside its own `mutate` or `update`: write afterwards, or write another flow")
    }

    @inlinable
    func commit(_ new: Value, after version: Int) -> Bool {
        enter()
        guard machine.version == version, !machine.isSealed else {
            lock.unlock()
            return false
        }
        commitAndUnlock(new)
        return true
    }

    @inlinable @inline(__always)
    func commitAndUnlock(_ new: Value) {
        guard machine.isQuiet else { return announceAndUnlock(new) }
        // The old value is released when this function returns, after the lock.
        let old = machine.replace(new)
        unlockAfterWriting()
        _ = old
    }

    @inlinable @inline(never)
    func announceAndUnlock(_ new: Value) {
        var wake = FlowMachine<Value>.Wake()
        let old = machine.commit(new, &wake)
        unlockAfterWriting()
        perform(&wake, new)
        _ = old
    }

    /// Runs a body once while no other writer can commit, then commits the changed value.
    @inlinable
    func reserve<Result>(
        _ body: (inout Value) throws -> Result
    ) rethrows -> (result: Result, committed: (old: Value, new: Value)) {
        lockGate()
        lock.lock()
        machine.isReserved = true
        let old = machine.value
        let isSealed = machine.isSealed
        lock.unlock()
        var new = old
        let result: Result
        do {
            result = try body(&new)
        } catch {
            lock.lock()
            machine.isReserved = false
            lock.unlock()
            gate.unlock()
            throw error
        }
        let isNew = !isSealed && !areEquivalent(old, new)
        lock.lock()
        machine.isReserved = false
        var wake = FlowMachine<Value>.Wake()
        if isNew { _ = machine.commit(new, &wake) }
        unlockAfterWriting()
        gate.unlock()
        perform(&wake, new)
        return (result, (old, isNew ? new : old))
    }
}
