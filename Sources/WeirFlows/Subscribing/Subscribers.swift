/// A subscriber that pulls each value and leaves when it is released.
@usableFromInline
final class PullSubscriber<Value: Sendable>: FlowSubscriber<Value>, @unchecked Sendable {
    // Unsafe memory: a subscriber removes its continuation before resuming it, so resumes it once.
    /// The continuation to resume when there is something to take.
    @exclusivity(unchecked) @usableFromInline var waiter: UnsafeContinuation<Void, Never>?

    @inlinable
    override init(_ storage: FlowStorage<Value>, _ policy: DeliveryPolicy) {
        super.init(storage, policy)
        storage.join(self)
    }

    deinit {
        storage.cancel(self)
    }

    @usableFromInline
    override func cancel() {
        storage.cancel(self)
    }

    /// Why there are no more values; nil while there may be more.
    @usableFromInline
    var end: FlowEnd? {
        switch ending {
        case .none: nil
        case .finished: .finished
        case .cancelled: .cancelled
        case .overflowed: buffer?.overflow
        }
    }

    @usableFromInline
    func leave(_ end: FlowEnd) {
        if ending == .none {
            ending =
                switch end {
                case .finished: .finished
                case .cancelled: .cancelled
                case .overflowed: .overflowed
                }
        }
        lastGiven = nil
        cancel()
    }

    @inlinable
    func nextIfAny() -> Value? {
        guard case .value(let value, let skipped) = storage.take(self) else { return nil }
        return isNews(value, afterSkipping: skipped) ? value : nil
    }

    /// Takes the next value without suspending.
    ///
    /// After `nothing` the caller must wait; after `end` the subscriber has left.
    @inlinable
    func look() -> FlowMachine<Value>.Taken {
        while true {
            let taken = storage.take(self)
            switch taken {
            case .value(let value, let skipped):
                if isNews(value, afterSkipping: skipped) { return taken }
            case .end(let end):
                leave(end)
                return taken
            case .nothing:
                return taken
            }
        }
    }

    /// Waits for the next value; returns nil after the end, whose reason is ``end``.
    ///
    /// Does not check for cancellation: the caller cancels the subscriber in that case.
    @inlinable
    func next(isolation: isolated (any Actor)?) async -> Value? {
        while true {
            switch look() {
            case .value(let value, _): return value
            case .end: return nil
            case .nothing: await withUnsafeContinuation(isolation: isolation) { storage.wait(self, $0) }
            }
        }
    }
}

/// A subscriber that receives values on the threads that write.
@usableFromInline
final class PushSubscriber<Value: Sendable>: FlowSubscriber<Value>, @unchecked Sendable {
    /// The number of values that may still be pushed; `Int.max` is unlimited.
    @exclusivity(unchecked) @usableFromInline var demand: Int
    /// Whether a thread is delivering values to it.
    @exclusivity(unchecked) @usableFromInline var isBusy = false
    @usableFromInline let onValue: @Sendable (Value) -> Void
    let onEnd: (@Sendable (FlowEnd) -> Void)?

    init(
        _ storage: FlowStorage<Value>, _ policy: DeliveryPolicy, demand: Int,
        onValue: @escaping @Sendable (Value) -> Void, onEnd: (@Sendable (FlowEnd) -> Void)?
    ) {
        self.demand = demand
        self.onValue = onValue
        self.onEnd = onEnd
        super.init(storage, policy)
    }

    /// Whether the thread that commits the next value can deliver it directly.
    @inlinable
    var isIdle: Bool { !isBusy && demand > 0 }

    @usableFromInline
    override func cancel() {
        storage.cancel(self)
    }

    override func request(_ count: Int) {
        storage.request(count, for: self)
    }
}
