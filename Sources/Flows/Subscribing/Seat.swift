/// One subscriber's place in a flow.
///
/// Its variables belong to the ``FlowMachine`` and are touched under the flow's lock only, but for two: `lastGiven` and
/// `end` belong to whoever is giving this subscriber a value, and that is never more than one at a time.
final class Seat<Value: Sendable>: AnySeat, @unchecked Sendable {
    /// Whom values are pushed to; a subscriber without one asks for each value itself.
    struct Receiver: Sendable {
        let onValue: @Sendable (Value) -> Void
        let onEnd: (@Sendable (FlowEnd) -> Void)?
    }

    let storage: FlowStorage<Value>
    let isConflated: Bool
    let isLossless: Bool
    /// Whether it is given the flow's replayed values first, or the current one only.
    let replays: Bool
    let receiver: Receiver?

    /// The version of the last value taken.
    var cursor = 0
    /// Where this stands in the machine's list of those pushed to, or of those waiting.
    var index = -1
    /// How many more values may be pushed; `Int.max` is without bound.
    var demand: Int
    /// Whether somebody is giving values to the receiver right now.
    var isBusy = false
    /// Its own waiting values, under ``DeliveryPolicy/buffered(_:onOverflow:)`` only.
    var buffer: SeatBuffer<Value>?
    /// What to resume when there is something to take.
    var waiter: UnsafeContinuation<Void, Never>?

    /// The value given last, kept under ``DeliveryPolicy/conflated`` only.
    var lastGiven: Value?
    /// Why there are no more values.
    var end: FlowEnd?

    init(
        _ storage: FlowStorage<Value>, _ policy: DeliveryPolicy, receiver: Receiver? = nil, demand: Int = .max,
        replays: Bool = true
    ) {
        self.replays = replays
        self.storage = storage
        isConflated = policy == .conflated
        isLossless = policy == .lossless
        self.receiver = receiver
        self.demand = demand
        if case .buffered(let limit, let rule) = policy { buffer = SeatBuffer(limit: limit, rule: rule) }
        super.init()
    }

    override func cancel() {
        storage.cancel(self)
    }

    override func request(_ count: Int) {
        storage.request(count, for: self)
    }

    /// Whether a value that was taken is news to this subscriber, who may have skipped others before it.
    ///
    /// Calls the flow's equality, so never under the lock.
    func isNews(_ value: Value, afterSkipping: Bool) -> Bool {
        guard isConflated else { return true }
        if afterSkipping, let lastGiven, storage.areEquivalent(lastGiven, value) { return false }
        lastGiven = value
        return true
    }

    /// The next value if it is there already.
    func nextIfAny() -> Value? {
        guard case .value(let value, let skipped) = storage.take(self) else { return nil }
        return isNews(value, afterSkipping: skipped) ? value : nil
    }

    /// Waits for the next value; nil when there will be none, and then ``end`` says why.
    ///
    /// Does not look whether the task is cancelled: whoever calls this cancels the seat then.
    func next(isolation: isolated (any Actor)?) async -> Value? {
        while true {
            switch storage.take(self) {
            case .value(let value, let skipped):
                if isNews(value, afterSkipping: skipped) { return value }
            case .end(let end):
                self.end = end
                lastGiven = nil
                cancel()
                return nil
            case .nothing:
                await withUnsafeContinuation(isolation: isolation) { storage.wait(self, $0) }
            }
        }
    }
}
