/// A flow's value and subscribers, as a pure state machine.
///
/// It has one method per event. Each returns what must be done about the event: ``FlowStorage`` calls the method under
/// its lock and acts on the result after releasing it. Nothing in here waits, calls foreign code, or releases the last
/// reference to a value.
///
/// Versions number the committed values from 1. A subscriber's `cursor` is the version it took last.
///
/// A pushed-to subscriber is *idle* when it has received everything it requested: a commit delivers the new value
/// directly to an idle subscriber, and a busy one finds it when the thread that delivers to it returns to
/// ``settle(_:)``.
///
/// The machine retains pushed-to subscribers until they leave. It does not retain pulling ones: a waiting one is
/// retained by its task, and one that does not wait is not in here.
@usableFromInline
struct FlowMachine<Value: Sendable> {
    /// What a subscriber finds when it looks for the next value.
    @usableFromInline
    enum Taken {
        case value(Value, skipped: Bool)
        case end(FlowEnd)
        case nothing
    }

    /// What must be done after a change.
    @usableFromInline
    struct Wake {
        // Unsafe memory: the storage retains every subscriber that is listed here.
        /// Waiting subscribers that now have something to take.
        @usableFromInline var waiters: [Unmanaged<PullSubscriber<Value>>] = []
        /// Subscribers that receive the value that was just committed.
        @usableFromInline var idle: [PushSubscriber<Value>] = []
        /// Values that are no longer needed.
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
    /// Reserved capacity for the next waiters, so that waking them allocates no memory.
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

    /// Delivers the new value to the idle pushed-to subscribers; returns how many of these are lossless.
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

    // MARK: Coming and going

    /// Adds a pulling subscriber.
    ///
    /// The current value, or the replayed ones, come first.
    @inlinable
    mutating func join(_ subscriber: PullSubscriber<Value>) {
        enter(subscriber, replays: true)
    }

    /// Adds a pushed-to subscriber.
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

    /// Removes a subscriber, if it has not left yet.
    ///
    /// - Returns: whether it was present; if it was waiting, `wake` has it as a waiter.
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

    /// Removes a subscriber, if it has not left yet.
    ///
    /// - Returns: whether it was present.
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
