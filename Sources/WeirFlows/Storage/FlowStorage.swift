public import Synchronization

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

/// Reads trivial values that fit in a word, such as numbers and cases without payload, without the lock.
extension FlowStorage {
    @inlinable @inline(__always)
    static var fitsWord: Bool { _isPOD(Value.self) && MemoryLayout<Value>.size <= MemoryLayout<UInt>.size }

    @inlinable @inline(__always)
    var valueOfWord: Value {
        // Unsafe memory: only a value without references and at most one word long is stored this way.
        withUnsafeBytes(of: word.load(ordering: .acquiring)) { $0.loadUnaligned(as: Value.self) }
    }

    /// Publishes the word and releases the lock after a write.
    @inlinable @inline(__always)
    func unlockAfterWriting() {
        if FlowStorage.fitsWord { word.store(FlowStorage.word(of: machine.value), ordering: .releasing) }
        lock.unlock()
    }

    @inlinable @inline(__always)
    static func word(of value: Value) -> UInt {
        var word: UInt = 0
        withUnsafeMutableBytes(of: &word) { word in
            withUnsafeBytes(of: value) { word.copyMemory(from: $0) }
        }
        return word
    }
}
