/// A flow's value and subscribers, as a pure state machine with one method per event.
///
/// ``FlowStorage`` calls each method under its lock and acts on the result after releasing it. The machine never
/// waits, calls foreign code, or releases the last reference to a value.
///
/// Versions number the committed values from 1. A subscriber's `cursor` is the version it took last.
///
/// A push subscriber is *idle* when it has received everything it requested: a commit delivers the new value directly
/// to an idle subscriber, and a busy one finds it when the thread that delivers to it returns to ``settle(_:)``.
///
/// The machine retains push subscribers until they leave. It does not retain pull subscribers: a waiting one is
/// retained by its task, and one that does not wait is not listed.
@usableFromInline
struct FlowMachine<Value: Sendable> {
    /// The result of a request for the next value.
    @usableFromInline
    enum Taken {
        case value(Value, skipped: Bool)
        case end(FlowEnd)
        case nothing
    }

    /// The consequences of a change.
    @usableFromInline
    struct Wake {
        // Unsafe memory: the storage retains every subscriber that is listed here.
        /// Waiting subscribers that now have something to take.
        @usableFromInline var waiters: [Unmanaged<PullSubscriber<Value>>] = []
        /// Subscribers that receive the value that was just committed.
        @usableFromInline var idle: [PushSubscriber<Value>] = []
        /// Values that are no longer needed, to be released outside the lock.
        @usableFromInline var released: [Value] = []

        @inlinable
        init() {}
    }

    @usableFromInline var version = 1
    @usableFromInline var occupied = 0
    @usableFromInline let replay: Int
    @usableFromInline var isSealed = false
    /// Whether a writer has reserved the flow for itself; see ``FlowStorage/reserve(_:)``.
    @usableFromInline var isReserved = false
    @usableFromInline var value: Value

    @usableFromInline var pushed: [PushSubscriber<Value>] = []
    @usableFromInline var waiting: [Unmanaged<PullSubscriber<Value>>] = []
    /// Reserved capacity for the next waiters, so that waking them does not allocate.
    @usableFromInline var spare: [Unmanaged<PullSubscriber<Value>>] = []
    @usableFromInline var buffered: [SubscriberBuffer<Value>] = []
    @usableFromInline var log: ValueLog<Value>

    @inlinable
    init(_ initial: Value, replay: Int) {
        value = initial
        self.replay = replay
        log = ValueLog(replay: replay)
        if replay > 1 { _ = log.append(initial, version: version) }
    }

    /// Whether no subscriber needs to receive a new value.
    @inlinable
    var isQuiet: Bool { occupied == 0 && replay <= 1 }

    // MARK: Writing

    /// Replaces the current value if no subscriber needs to receive the new one; returns the old value.
    @inlinable @inline(__always)
    mutating func replace(_ new: Value) -> Value {
        let old = value
        value = new
        version += 1
        return old
    }

    /// Replaces the current value; returns the old one.
    @inlinable @inline(__always)
    mutating func commit(_ new: Value, _ wake: inout Wake) -> Value {
        let old = replace(new)
        if !isQuiet { announce(&wake) }
        return old
    }

    /// Seals the flow; returns the subscribers to settle with.
    mutating func seal(_ wake: inout Wake) -> [PushSubscriber<Value>] {
        isSealed = true
        wakeWaiters(&wake)
        let settling = pushed.filter { !$0.isBusy }
        for subscriber in settling { subscriber.isBusy = true }
        return settling
    }

    @inlinable @inline(__always)
    mutating func announce(_ wake: inout Wake) {
        wakeWaiters(&wake)
        let handed = pushed.isEmpty ? 0 : handOut(&wake)
        if !buffered.isEmpty {
            for buffer in buffered where buffer.handed != version {
                if let dropped = buffer.append(value) { wake.released.append(dropped) }
            }
        }
        if log.needsAppend(handing: handed), let dropped = log.append(value, version: version, handing: handed) {
            wake.released.append(dropped)
        }
    }

    /// Delivers the new value to the idle push subscribers; returns the number of lossless ones.
    @inlinable @inline(__always)
    mutating func handOut(_ wake: inout Wake) -> Int {
        var idle = 0
        var lossless = 0
        pushed.forEachBorrowed { subscriber in
            guard subscriber.isIdle else { return }
            idle += 1
            subscriber.isBusy = true
            subscriber.cursor = version
            if subscriber.demand != .max { subscriber.demand -= 1 }
            if subscriber.isLossless { lossless += 1 }
            subscriber.buffer?.handed = version
        }
        if idle == pushed.count {
            wake.idle = pushed
        } else if idle > 0 {
            wake.idle = pushed.filter { [version] in $0.cursor == version }
        }
        return lossless
    }

    @inlinable
    mutating func wakeWaiters(_ wake: inout Wake) {
        guard !waiting.isEmpty else { return }
        swap(&wake.waiters, &spare)
        swap(&wake.waiters, &waiting)
        for subscriber in wake.waiters { subscriber._withUnsafeGuaranteedRef { $0.index = -1 } }
    }

    // MARK: Joining and leaving

    /// Adds a pull subscriber, which receives the current value, or the replayed ones, first.
    @inlinable
    mutating func join(_ subscriber: PullSubscriber<Value>) {
        enter(subscriber, replays: true)
    }

    /// Adds a push subscriber.
    ///
    /// - Parameters:
    ///   - subscriber: the subscriber.
    ///   - replays: whether it receives the flow's replayed values first, or only the current one.
    /// - Returns: whether the caller must settle with it at once.
    mutating func join(_ subscriber: PushSubscriber<Value>, replays: Bool) -> Bool {
        enter(subscriber, replays: replays)
        // Never traps: memory runs out before there are this many subscribers.
        subscriber.index = Int32(pushed.count)
        pushed.append(subscriber)
        subscriber.isBusy = subscriber.demand > 0
        return subscriber.isBusy
    }

    @inlinable
    mutating func enter(_ subscriber: FlowSubscriber<Value>, replays: Bool) {
        occupied += 1
        subscriber.cursor = version - 1
        if subscriber.isLossless {
            if log.count == 0 { _ = log.append(value, version: version, handing: log.readersAtEnd) }
            if replay > 1, replays { subscriber.cursor = max(log.start, version - replay + 1) - 1 }
            log.addReader(before: subscriber.cursor + 1)
        } else if let buffer = subscriber.buffer {
            buffered.append(buffer)
            if replay > 1, replays {
                log.forEach(from: version - replay + 1) { _ = buffer.append($0) }
            } else {
                _ = buffer.append(value)
            }
        }
    }

    /// Removes a subscriber unless it has already left; returns whether it was present.
    ///
    /// A subscriber that was waiting is added to the waiters of `wake`.
    mutating func leave(_ subscriber: PullSubscriber<Value>, _ wake: inout Wake) -> Bool {
        guard exit(subscriber, &wake) else { return false }
        if subscriber.index >= 0 {
            let last = waiting.removeLast()
            last._withUnsafeGuaranteedRef {
                if $0 === subscriber { return }
                waiting[Int(subscriber.index)] = last
                $0.index = subscriber.index
            }
            subscriber.index = -1
            wake.waiters.append(.passUnretained(subscriber))
        }
        return true
    }

    /// Removes a subscriber unless it has already left; returns whether it was present.
    mutating func leave(_ subscriber: PushSubscriber<Value>, _ wake: inout Wake) -> Bool {
        guard exit(subscriber, &wake) else { return false }
        let last = pushed.removeLast()
        if last !== subscriber {
            pushed[Int(subscriber.index)] = last
            last.index = subscriber.index
        }
        return true
    }

    private mutating func exit(_ subscriber: FlowSubscriber<Value>, _ wake: inout Wake) -> Bool {
        guard subscriber.leave() else { return false }
        occupied -= 1
        if subscriber.isLossless {
            wake.released += log.removeReader(before: subscriber.cursor + 1)
        } else if let buffer = subscriber.buffer {
            buffered.removeAll { $0 === buffer }
            while let waiting = buffer.removeFirst() { wake.released.append(waiting) }
        }
        return true
    }
}

extension FlowStorage {
    // MARK: Joining and leaving

    @inlinable
    func join(_ subscriber: PullSubscriber<Value>) {
        lock.lock()
        machine.join(subscriber)
        leaveCounting()
    }

    /// Adds a push subscriber and delivers the current value.
    func join(_ subscriber: PushSubscriber<Value>, replays: Bool = true) {
        lock.lock()
        let settles = machine.join(subscriber, replays: replays)
        leaveCounting()
        if settles { settle(subscriber) }
    }

    /// Removes a subscriber, with everything that was kept for it.
    @usableFromInline
    func cancel(_ subscriber: PullSubscriber<Value>) {
        if subscriber.hasLeft { return }
        var wake = FlowMachine<Value>.Wake()
        lock.lock()
        if machine.leave(subscriber, &wake) { leaveCounting() } else { lock.unlock() }
        for subscriber in wake.waiters { FlowStorage.resume(subscriber) }
    }

    /// Removes a subscriber, with everything that was kept for it; returns false if it had already left.
    @discardableResult
    func cancel(_ subscriber: PushSubscriber<Value>) -> Bool {
        var wake = FlowMachine<Value>.Wake()
        lock.lock()
        guard machine.leave(subscriber, &wake) else {
            lock.unlock()
            return false
        }
        leaveCounting()
        return true
    }

    // MARK: Pulling

    @inlinable
    func take(_ subscriber: FlowSubscriber<Value>) -> FlowMachine<Value>.Taken {
        lock.lock()
        defer { lock.unlock() }
        return machine.take(subscriber)
    }

    // Unsafe memory: a subscriber has at most one continuation, which is taken out before it is resumed.
    /// Resumes a subscriber once there is something to take, possibly immediately.
    @inlinable
    func wait(_ subscriber: PullSubscriber<Value>, _ waiter: UnsafeContinuation<Void, Never>) {
        lock.lock()
        let waits = machine.wait(subscriber)
        if waits { subscriber.waiter = waiter }
        lock.unlock()
        if !waits { waiter.resume() }
    }

    @inlinable
    static func resume(_ waiting: Unmanaged<PullSubscriber<Value>>) {
        let waiter = waiting._withUnsafeGuaranteedRef { subscriber in
            defer { subscriber.waiter = nil }
            return subscriber.waiter
        }
        waiter?.resume()  // the subscriber may be released from here on
    }

    // MARK: Pushing

    func request(_ count: Int, for subscriber: PushSubscriber<Value>) {
        lock.lock()
        let settles = machine.request(count, for: subscriber)
        lock.unlock()
        if settles { settle(subscriber) }
    }

    /// Carries out the consequences of a change; must be called outside the lock, before this thread writes anything
    /// else.
    @inlinable @inline(__always)
    func perform(_ wake: inout FlowMachine<Value>.Wake, _ value: Value) {
        if !wake.waiters.isEmpty { resumeAll(&wake.waiters) }
        if !wake.idle.isEmpty {
            wake.idle.forEachBorrowed { give(value, to: $0, afterSkipping: false) }
            lock.lock()
            let more = machine.settleAll(wake.idle)
            lock.unlock()
            more.forEachBorrowed(settle)
        }
    }

    @inlinable
    func resumeAll(_ waiters: inout [Unmanaged<PullSubscriber<Value>>]) {
        for subscriber in waiters { FlowStorage.resume(subscriber) }
        waiters.removeAll(keepingCapacity: true)
        lock.lock()
        if machine.spare.capacity < waiters.capacity { swap(&machine.spare, &waiters) }
        lock.unlock()
    }

    /// Delivers everything pending for a subscriber, in order, until it is idle.
    @usableFromInline
    func settle(_ subscriber: PushSubscriber<Value>) {
        while true {
            lock.lock()
            let taken = machine.settle(subscriber)
            lock.unlock()
            switch taken {
            case .value(let value, let skipped): give(value, to: subscriber, afterSkipping: skipped)
            case .end(let end):
                if cancel(subscriber) { subscriber.onEnd?(end) }
                return
            case .nothing: return
            }
        }
    }

    @inlinable @inline(__always)
    func give(_ value: Value, to subscriber: PushSubscriber<Value>, afterSkipping: Bool) {
        if !subscriber.hasLeft, subscriber.isNews(value, afterSkipping: afterSkipping) { subscriber.onValue(value) }
    }

    // MARK: Counting

    var subscriptionCount: FlowStorage<Int> {
        lock.lock()
        defer { lock.unlock() }
        if let counter { return counter }
        let counter = FlowStorage<Int>(machine.occupied, areEquivalent: ==)
        self.counter = counter
        return counter
    }

    /// Releases the lock after a subscriber joined or left, and publishes the count.
    ///
    /// The count is committed under this flow's lock, so that counts have the order of arrivals and departures.
    @inlinable
    func leaveCounting() {
        guard let counter else { return lock.unlock() }
        let count = machine.occupied
        var wake = FlowMachine<Int>.Wake()
        counter.lock.lock()
        _ = counter.machine.commit(count, &wake)
        counter.unlockAfterWriting()
        lock.unlock()
        counter.perform(&wake, count)
    }
}
