/// Where a flow lives: the machine, its lock, and everything that must happen outside that lock.
///
/// Equality, transforms, callbacks, continuations and the end of old values all run after the lock is given back. Writers
/// try without reserving the flow first, as equality and transforms may be slow; one that keeps losing, or whose body
/// must not run twice, reserves it, and the other writers wait for that (readers never do).
final class FlowStorage<Value: Sendable>: @unchecked Sendable {
    private static var nesting: StaticString {
        "a flow was written from within its own `mutate` or `update`: write after it, or to another flow"
    }

    let areEquivalent: @Sendable (Value, Value) -> Bool
    private let comparesInPlace: Bool
    let lock = Lock()
    private let gate = Lock(detectsNesting: true)
    var machine: FlowMachine<Value>
    var counter: FlowStorage<Int>?
    /// What keeps a derived flow's values coming, for as long as this lives.
    var upstream: [FlowSubscription] = []

    init(
        _ initial: Value, replay: Int = 1, comparesInPlace: Bool = false,
        areEquivalent: @escaping @Sendable (Value, Value) -> Bool
    ) {
        self.areEquivalent = areEquivalent
        self.comparesInPlace = comparesInPlace
        machine = FlowMachine(initial, replay: replay)
    }

    // MARK: Reading

    var value: Value {
        lock.lock()
        defer { lock.unlock() }
        return machine.value
    }

    /// The current value, its version, and whether it is the last.
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

    /// How many subscribers there are, as a flow.
    var subscriptionCount: FlowStorage<Int> {
        lock.lock()
        defer { lock.unlock() }
        if let counter { return counter }
        let counter = FlowStorage<Int>(machine.occupied, comparesInPlace: true, areEquivalent: ==)
        self.counter = counter
        return counter
    }

    // MARK: Writing

    func set(_ new: Value) {
        if comparesInPlace {
            enter()
            if machine.isSealed || areEquivalent(machine.value, new) { return lock.unlock() }
            return commitAndUnlock(new)
        }
        _ = update { _ in new }
    }

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

    func mutate<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        try reserve(body).result
    }

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
            var end = FlowMachine<Value>.Wake()
            machine.seal(&end)
            lock.unlock()
            _ = old
            perform(wake, value)
            perform(end, value)
            return true
        }
    }

    func finish() {
        _ = seal { _ in nil }
    }

    /// Takes the lock as a writer: not while another one has reserved the flow.
    private func enter() {
        lock.lock()
        while machine.isReserved {
            lock.unlock()
            gate.lock(nesting: FlowStorage.nesting)
            gate.unlock()
            lock.lock()
        }
    }

    private func commit(_ new: Value, after version: Int) -> Bool {
        enter()
        guard machine.version == version, !machine.isSealed else {
            lock.unlock()
            return false
        }
        commitAndUnlock(new)
        return true
    }

    private func commitAndUnlock(_ new: Value) {
        guard machine.isQuiet else { return announceAndUnlock(new) }
        // The old value dies with this function, after the lock is given back.
        let old = machine.replace(new)
        lock.unlock()
        _ = old
    }

    @inline(never)
    private func announceAndUnlock(_ new: Value) {
        var wake = FlowMachine<Value>.Wake()
        let old = machine.commit(new, &wake)
        lock.unlock()
        perform(wake, new)
        _ = old
    }

    /// Runs a body once while no other writer can commit, and commits what it made of the value.
    private func reserve<Result>(
        _ body: (inout Value) throws -> Result
    ) rethrows -> (result: Result, committed: (old: Value, new: Value)) {
        gate.lock(nesting: FlowStorage.nesting)
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
        lock.unlock()
        gate.unlock()
        perform(wake, new)
        return (result, (old, isNew ? new : old))
    }
}
