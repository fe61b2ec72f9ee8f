public import Synchronization

/// Where a flow lives: the machine, its lock, and everything that must happen outside that lock.
///
/// Equality, transforms, callbacks, continuations and the end of old values all run after the lock is given back. Writers
/// try without reserving the flow first, as equality and transforms may be slow; one that keeps losing, or whose body
/// must not run twice, reserves it, and the other writers wait for that (readers never do).
///
/// What runs for each value can be inlined into the program that uses it, which makes it about five times faster than
/// code for any kind of value.
@usableFromInline
final class FlowStorage<Value: Sendable>: @unchecked Sendable {
    @usableFromInline let lock = BriefLock()
    /// The value once more, where it fits; written under the lock.
    @usableFromInline let word: Atomic<UInt>
    @usableFromInline let comparesInPlace: Bool
    @usableFromInline let areEquivalent: @Sendable (Value, Value) -> Bool
    @exclusivity(unchecked) @usableFromInline var counter: FlowStorage<Int>?
    @usableFromInline let gate = Lock(detectsNesting: true)
    /// What keeps a derived flow's values coming, for as long as this lives.
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

    /// The current value, its version, and whether it is the last.
    @inlinable
    var snapshot: (value: Value, version: Int, isSealed: Bool) {
        lock.lock()
        defer { lock.unlock() }
        return (machine.value, machine.version, machine.isSealed)
    }

    /// How many entries the log of the lossless subscribers has, and has room for.
    var backlog: (count: Int, capacity: Int) {
        lock.lock()
        defer { lock.unlock() }
        return (machine.log.count, machine.log.capacity)
    }

    /// How many subscribers wait for a value.
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

    /// Lets no further value in, after a last one if given; false when that had been done before.
    func seal(making last: (Value) -> Value?) -> Bool {
        while true {
            let (current, version, isSealed) = snapshot
            if isSealed { return false }
            let last = last(current)
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
            for seat in settling { settle(seat) }
            return true
        }
    }

    func finish() {
        _ = seal { _ in nil }
    }

    /// Takes the lock as a writer: not while another one has reserved the flow.
    @inlinable @inline(__always)
    func enter() {
        lock.lock()
        if machine.isReserved { waitForReservation() }
    }

    /// Waits, without the lock, until the flow is not reserved, and takes the lock again.
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
            nesting: "a flow was written from within its own `mutate` or `update`: write after it, or to another flow")
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
        // The old value dies with this function, after the lock is given back.
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

    /// Runs a body once while no other writer can commit, and commits what it made of the value.
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
