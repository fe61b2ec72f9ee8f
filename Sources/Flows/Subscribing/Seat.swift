/// One subscriber's place in a flow: what those who ask for values and those whom values are pushed to have in common.
///
/// Its variables belong to the ``FlowMachine`` and are touched under the flow's lock only, but for `lastGiven`
/// and `ending`, which belong to whoever is giving this subscriber a value, and that is never more than one at a time. Their order is the
/// order in memory; a subscriber that asks for plain numbers is one block of 72 bytes.
@usableFromInline
class Seat<Value: Sendable>: AnySeat, @unchecked Sendable {
    @usableFromInline
    enum Ending: UInt8 {
        case none, finished, cancelled, overflowed
    }

    @usableFromInline let isConflated: Bool
    @usableFromInline let isLossless: Bool
    /// Why there are no more values, and no more than that: the count of an overflow stays with the buffer.
    @exclusivity(unchecked) @usableFromInline final var ending = Ending.none
    /// Where this stands in the machine's list of those pushed to, or of those waiting.
    @exclusivity(unchecked) @usableFromInline final var index: Int32 = -1
    /// The version of the last value taken.
    @exclusivity(unchecked) @usableFromInline final var cursor = 0
    @usableFromInline let storage: FlowStorage<Value>
    /// Its own waiting values, under ``DeliveryPolicy/buffered(_:onOverflow:)`` only.
    @usableFromInline let buffer: SeatBuffer<Value>?
    /// The value given last, kept under ``DeliveryPolicy/conflated`` only.
    @exclusivity(unchecked) @usableFromInline final var lastGiven: Value?

    @inlinable
    init(_ storage: FlowStorage<Value>, _ policy: DeliveryPolicy) {
        self.storage = storage
        isConflated = policy == .conflated
        isLossless = policy == .lossless
        if case .buffered(let limit, let rule) = policy {
            buffer = SeatBuffer(limit: limit, rule: rule)
        } else {
            buffer = nil
        }
        super.init()
    }

    /// Whether a value that was taken is news to this subscriber, who may have skipped others before it.
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
