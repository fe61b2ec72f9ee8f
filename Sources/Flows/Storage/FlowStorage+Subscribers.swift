extension FlowStorage {
    // MARK: Coming and going

    /// Lets a subscriber in, and gives it the current value if it is one that is pushed to.
    func join(_ seat: Seat<Value>) {
        lock.lock()
        let settles = machine.join(seat)
        let recount = recount()
        lock.unlock()
        recount?.perform()
        if settles { settle(seat) }
    }

    /// Lets a subscriber go at once, with everything that was kept for it; false when it had gone before.
    @discardableResult
    func cancel(_ seat: Seat<Value>) -> Bool {
        var wake = FlowMachine<Value>.Wake()
        lock.lock()
        guard machine.leave(seat, &wake) else {
            lock.unlock()
            return false
        }
        let recount = recount()
        lock.unlock()
        resume(wake.waiters)
        recount?.perform()
        return true
    }

    // MARK: Asking

    func take(_ seat: Seat<Value>) -> FlowMachine<Value>.Taken {
        lock.lock()
        defer { lock.unlock() }
        return machine.take(seat)
    }

    /// Resumes a subscriber as soon as there is something to take, which may be at once.
    func wait(_ seat: Seat<Value>, _ waiter: UnsafeContinuation<Void, Never>) {
        lock.lock()
        let waits = machine.wait(seat)
        if waits { seat.waiter = waiter }
        lock.unlock()
        if !waits { waiter.resume() }
    }

    // MARK: Pushing

    func request(_ count: Int, for seat: Seat<Value>) {
        lock.lock()
        let settles = machine.request(count, for: seat)
        lock.unlock()
        if settles { settle(seat) }
    }

    /// Does what a change asks for.
    ///
    /// Never under the lock, and before anything else is written by this thread.
    func perform(_ wake: FlowMachine<Value>.Wake, _ value: Value) {
        resume(wake.waiters)
        if !wake.idle.isEmpty {
            for seat in wake.idle { give(value, to: seat, afterSkipping: false) }
            lock.lock()
            let more = machine.settleAll(wake.idle)
            lock.unlock()
            for seat in more { settle(seat) }
        }
        for seat in wake.pending { settle(seat) }
    }

    /// Gives a subscriber everything there is for it, in order, until it is idle.
    private func settle(_ seat: Seat<Value>) {
        while true {
            lock.lock()
            let taken = machine.settle(seat)
            lock.unlock()
            switch taken {
            case .value(let value, let skipped): give(value, to: seat, afterSkipping: skipped)
            case .end(let end):
                if cancel(seat) { seat.receiver?.onEnd?(end) }
                return
            case .nothing: return
            }
        }
    }

    private func give(_ value: Value, to seat: Seat<Value>, afterSkipping: Bool) {
        if !seat.hasLeft, seat.isNews(value, afterSkipping: afterSkipping) {
            seat.receiver?.onValue(value)
        }
    }

    private func resume(_ waiters: [Seat<Value>]) {
        for seat in waiters {
            let waiter = seat.waiter
            seat.waiter = nil
            waiter?.resume()
        }
    }

    // MARK: Counting

    /// A new subscriber count that has been committed, and what is to be done about it.
    struct Recount {
        let counter: FlowStorage<Int>
        let wake: FlowMachine<Int>.Wake
        let count: Int

        func perform() {
            counter.perform(wake, count)
        }
    }

    /// Commits the count under this flow's lock, so that the counts have the order of the comings and goings.
    private func recount() -> Recount? {
        guard let counter else { return nil }
        let count = machine.occupied
        var wake = FlowMachine<Int>.Wake()
        counter.lock.lock()
        _ = counter.machine.commit(count, &wake)
        counter.lock.unlock()
        return Recount(counter: counter, wake: wake, count: count)
    }
}
