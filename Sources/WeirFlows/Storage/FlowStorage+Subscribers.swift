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
