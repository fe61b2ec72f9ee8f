extension FlowStorage {
    // MARK: Coming and going

    /// Lets a subscriber in that asks for values.
    @inlinable
    func join(_ seat: PulledSeat<Value>) {
        lock.lock()
        machine.join(seat)
        leaveCounting()
    }

    /// Lets a subscriber in that is pushed to, and gives it the current value.
    func join(_ seat: PushedSeat<Value>, replays: Bool = true) {
        lock.lock()
        let settles = machine.join(seat, replays: replays)
        leaveCounting()
        if settles { settle(seat) }
    }

    /// Lets a subscriber go at once, with everything that was kept for it.
    @usableFromInline
    func cancel(_ seat: PulledSeat<Value>) {
        if seat.hasLeft { return }
        var wake = FlowMachine<Value>.Wake()
        lock.lock()
        if machine.leave(seat, &wake) { leaveCounting() } else { lock.unlock() }
        for seat in wake.waiters { FlowStorage.resume(seat) }
    }

    /// Lets a subscriber go at once, with everything that was kept for it; false when it had gone before.
    @discardableResult
    func cancel(_ seat: PushedSeat<Value>) -> Bool {
        var wake = FlowMachine<Value>.Wake()
        lock.lock()
        guard machine.leave(seat, &wake) else {
            lock.unlock()
            return false
        }
        leaveCounting()
        return true
    }

    // MARK: Asking

    @inlinable
    func take(_ seat: Seat<Value>) -> FlowMachine<Value>.Taken {
        lock.lock()
        defer { lock.unlock() }
        return machine.take(seat)
    }

    /// Resumes a subscriber as soon as there is something to take, which may be at once.
    @inlinable
    func wait(_ seat: PulledSeat<Value>, _ waiter: UnsafeContinuation<Void, Never>) {
        lock.lock()
        let waits = machine.wait(seat)
        if waits { seat.waiter = waiter }
        lock.unlock()
        if !waits { waiter.resume() }
    }

    @inlinable
    static func resume(_ waiting: Unmanaged<PulledSeat<Value>>) {
        let waiter = waiting._withUnsafeGuaranteedRef { seat in
            defer { seat.waiter = nil }
            return seat.waiter
        }
        waiter?.resume()  // from here on the seat may be gone
    }

    // MARK: Pushing

    func request(_ count: Int, for seat: PushedSeat<Value>) {
        lock.lock()
        let settles = machine.request(count, for: seat)
        lock.unlock()
        if settles { settle(seat) }
    }

    /// Does what a change asks for.
    ///
    /// Never under the lock, and before anything else is written by this thread.
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
    func resumeAll(_ waiters: inout [Unmanaged<PulledSeat<Value>>]) {
        for seat in waiters { FlowStorage.resume(seat) }
        waiters.removeAll(keepingCapacity: true)
        lock.lock()
        if machine.spare.capacity < waiters.capacity { swap(&machine.spare, &waiters) }
        lock.unlock()
    }

    /// Gives a subscriber everything there is for it, in order, until it is idle.
    @usableFromInline
    func settle(_ seat: PushedSeat<Value>) {
        while true {
            lock.lock()
            let taken = machine.settle(seat)
            lock.unlock()
            switch taken {
            case .value(let value, let skipped): give(value, to: seat, afterSkipping: skipped)
            case .end(let end):
                if cancel(seat) { seat.onEnd?(end) }
                return
            case .nothing: return
            }
        }
    }

    @inlinable @inline(__always)
    func give(_ value: Value, to seat: PushedSeat<Value>, afterSkipping: Bool) {
        if !seat.hasLeft, seat.isNews(value, afterSkipping: afterSkipping) { seat.onValue(value) }
    }

    // MARK: Counting

    /// How many subscribers there are, as a flow.
    var subscriptionCount: FlowStorage<Int> {
        lock.lock()
        defer { lock.unlock() }
        if let counter { return counter }
        let counter = FlowStorage<Int>(machine.occupied, comparesInPlace: true, areEquivalent: ==)
        self.counter = counter
        return counter
    }

    /// Gives the lock back after a coming or going, which whoever watches the count is told of.
    ///
    /// The count is committed under this flow's lock, so that the counts have the order of the comings and goings.
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
