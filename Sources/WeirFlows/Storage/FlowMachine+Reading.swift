extension FlowMachine {
    /// The next value for a subscriber, which has taken it from then on.
    @inlinable
    mutating func take(_ subscriber: FlowSubscriber<Value>) -> Taken {
        if subscriber.hasLeft { return .end(.cancelled) }
        if let buffer = subscriber.buffer {
            if let value = buffer.removeFirst() { return .value(value, skipped: false) }
            if let overflow = buffer.overflow { return .end(overflow) }
        } else if subscriber.cursor < version {
            if subscriber.isLossless {
                subscriber.cursor += 1
                if let value = log.read(subscriber.cursor) { return .value(value, skipped: false) }
            } else {
                let skipped = version - subscriber.cursor > 1
                subscriber.cursor = version
                return .value(value, skipped: skipped)
            }
        }
        return isSealed ? .end(.finished) : .nothing
    }

    /// Registers a waiting subscriber.
    ///
    /// - Returns: false if it need not wait, because there is something to take.
    @inlinable
    mutating func wait(_ subscriber: PullSubscriber<Value>) -> Bool {
        guard !subscriber.hasLeft, !hasNews(subscriber) else { return false }
        // Never traps: memory runs out before there are this many subscribers.
        subscriber.index = Int32(waiting.count)
        waiting.append(.passUnretained(subscriber))
        return true
    }

    /// What to deliver next to a busy subscriber; after `nothing` it is idle.
    mutating func settle(_ subscriber: PushSubscriber<Value>) -> Taken {
        if subscriber.demand == 0, hasValue(subscriber) {
            subscriber.isBusy = false
            return .nothing
        }
        let taken = take(subscriber)
        switch taken {
        case .value: if subscriber.demand != .max { subscriber.demand -= 1 }
        case .end: break
        case .nothing: subscriber.isBusy = false
        }
        return taken
    }

    /// Marks the subscribers that have received everything as idle, and returns the others.
    @inlinable @inline(__always)
    mutating func settleAll(_ subscribers: [PushSubscriber<Value>]) -> [PushSubscriber<Value>] {
        var more: [PushSubscriber<Value>] = []
        subscribers.forEachBorrowed { subscriber in
            if hasNews(subscriber), !subscriber.hasLeft { more.append(subscriber) } else { subscriber.isBusy = false }
        }
        return more
    }

    /// Requests more values to be pushed.
    ///
    /// - Returns: whether the caller must settle with the subscriber.
    mutating func request(_ count: Int, for subscriber: PushSubscriber<Value>) -> Bool {
        guard !subscriber.hasLeft else { return false }
        let (sum, overflow) = subscriber.demand.addingReportingOverflow(count)
        subscriber.demand = overflow ? .max : sum
        guard !subscriber.isBusy, hasNews(subscriber) else { return false }
        subscriber.isBusy = true
        return true
    }

    @inlinable
    func hasValue(_ subscriber: FlowSubscriber<Value>) -> Bool {
        if let buffer = subscriber.buffer { return !buffer.isEmpty }
        return subscriber.cursor < version
    }

    @inlinable
    func hasNews(_ subscriber: FlowSubscriber<Value>) -> Bool {
        isSealed || hasValue(subscriber) || subscriber.buffer?.overflow != nil
    }
}
