extension FlowMachine {
    /// Takes the next value for a subscriber and advances its cursor.
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

    /// Registers a waiting subscriber; returns false if there is something to take instead.
    @inlinable
    mutating func wait(_ subscriber: PullSubscriber<Value>) -> Bool {
        guard !subscriber.hasLeft, !hasNews(subscriber) else { return false }
        // Never traps: memory runs out before there are this many subscribers.
        subscriber.index = Int32(waiting.count)
        waiting.append(.passUnretained(subscriber))
        return true
    }

    /// Takes the next delivery for a busy subscriber, which is idle after `nothing`.
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

    /// Marks the subscribers that have received everything as idle; returns the others.
    @inlinable @inline(__always)
    mutating func settleAll(_ subscribers: [PushSubscriber<Value>]) -> [PushSubscriber<Value>] {
        var more: [PushSubscriber<Value>] = []
        subscribers.forEachBorrowed { subscriber in
            if hasNews(subscriber), !subscriber.hasLeft { more.append(subscriber) } else { subscriber.isBusy = false }
        }
        return more
    }

    /// Requests more values to be pushed; returns whether the caller must settle with the subscriber.
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

extension Array where Element: AnyObject {
    /// Calls a body with each object without retaining it; the array retains it during the call.
    ///
    /// Retaining and releasing would dominate the cost of a pass over many subscribers.
    @inlinable @inline(__always)
    func forEachBorrowed(_ body: (Element) -> Void) {
        // Unsafe memory: the array holds the borrowed objects until the call returns.
        withUnsafeBufferPointer { objects in
            objects.withMemoryRebound(to: Unmanaged<Element>.self) { references in
                for reference in references { reference._withUnsafeGuaranteedRef(body) }
            }
        }
    }
}
