/// A subscriber of a flow: the common part of subscribers that pull values and subscribers that values are pushed to.
///
/// Its variables belong to the ``FlowMachine`` and are accessed only under the flow's lock, except `lastGiven` and
/// `ending`, which belong to the one thread that is delivering a value to this subscriber. Their order is the order in
/// memory; a subscriber that pulls plain numbers is one block of 72 bytes.
@usableFromInline
class FlowSubscriber<Value: Sendable>: AnyFlowSubscriber, @unchecked Sendable {
    @usableFromInline
    enum Ending: UInt8 {
        case none, finished, cancelled, overflowed
    }

    @usableFromInline let isConflated: Bool
    @usableFromInline let isLossless: Bool
    /// Why there are no more values; the count of an overflow is in the buffer.
    @exclusivity(unchecked) @usableFromInline final var ending = Ending.none
    /// Its index in the machine's list of pushed-to or of waiting subscribers.
    @exclusivity(unchecked) @usableFromInline final var index: Int32 = -1
    /// The version of the last value taken.
    @exclusivity(unchecked) @usableFromInline final var cursor = 0
    @usableFromInline let storage: FlowStorage<Value>
    /// Its own waiting values, only with ``DeliveryPolicy/buffered(_:onOverflow:)``.
    @usableFromInline let buffer: SubscriberBuffer<Value>?
    /// The value delivered last, only with ``DeliveryPolicy/conflated``.
    @exclusivity(unchecked) @usableFromInline final var lastGiven: Value?

    @inlinable
    init(_ storage: FlowStorage<Value>, _ policy: DeliveryPolicy) {
        self.storage = storage
        isConflated = policy == .conflated
        isLossless = policy == .lossless
        if case .buffered(let limit, let rule) = policy {
            buffer = SubscriberBuffer(limit: limit, rule: rule)
        } else {
            buffer = nil
        }
        super.init()
    }

    /// Whether a value differs from the last one that this subscriber saw; it may have skipped others in between.
    ///
    /// Calls the flow's equality, so never under the lock.
    @inlinable
    final func isNews(_ value: Value, afterSkipping: Bool) -> Bool {
        guard isConflated else { return true }
        if afterSkipping, let lastGiven, storage.areEquivalent(lastGiven, value) { return false }
        lastGiven = value
        return true
    }
}
