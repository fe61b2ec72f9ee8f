/// A subscriber that pulls each value, and leaves when it is released.
@usableFromInline
final class PullSubscriber<Value: Sendable>: FlowSubscriber<Value>, @unchecked Sendable {
    // Unsafe memory: a subscriber resumes its continuation once, because it takes it out first.
    /// What to resume when there is something to take.
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

    /// The next value, if it is already available.
    @inlinable
    func nextIfAny() -> Value? {
        guard case .value(let value, let skipped) = storage.take(self) else { return nil }
        return isNews(value, afterSkipping: skipped) ? value : nil
    }

    /// Looks for the next value.
    ///
    /// After `nothing` it must be waited for; after `end` the subscriber has left.
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

    /// Waits for the next value; nil if there will be none, and then ``end`` has the reason.
    ///
    /// Does not check whether the task is cancelled: the caller cancels the subscriber in that case.
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
