public import Synchronization

/// The type-erased base class of a flow's subscribers.
@usableFromInline
class AnyFlowSubscriber: @unchecked Sendable {
    @usableFromInline let left = Atomic(false)

    @usableFromInline
    init() {}

    /// Whether the subscriber has left; checked without the lock before each callback.
    @inlinable
    final var hasLeft: Bool { left.load(ordering: .acquiring) }

    /// Marks the subscriber as having left; returns false if it already had.
    final func leave() -> Bool {
        !left.exchange(true, ordering: .acquiringAndReleasing)
    }

    @usableFromInline
    func cancel() {}

    func request(_ count: Int) {}
}

/// A subscriber that forwards its cancellation to a closure.
final class CancellableSubscriber: AnyFlowSubscriber, @unchecked Sendable {
    private let onCancel: @Sendable () -> Void

    init(_ onCancel: @escaping @Sendable () -> Void) {
        self.onCancel = onCancel
    }

    override func cancel() {
        if leave() { onCancel() }
    }
}

/// A subscriber of a flow: the common part of ``PullSubscriber`` and ``PushSubscriber``.
///
/// Its variables are accessed by ``FlowMachine`` under the flow's lock, except `lastGiven` and `ending`, which belong
/// to the thread that delivers a value to this subscriber. The declaration order is the memory layout: a pull
/// subscriber of plain numbers is one block of 72 bytes.
@usableFromInline
class FlowSubscriber<Value: Sendable>: AnyFlowSubscriber, @unchecked Sendable {
    @usableFromInline
    enum Ending: UInt8 {
        case none, finished, cancelled, overflowed
    }

    @usableFromInline let isConflated: Bool
    @usableFromInline let isLossless: Bool
    /// Why there are no more values; the buffer has the count of an overflow.
    @exclusivity(unchecked) @usableFromInline final var ending = Ending.none
    /// The index in the machine's list of push subscribers or of waiting ones.
    @exclusivity(unchecked) @usableFromInline final var index: Int32 = -1
    /// The version of the last value taken.
    @exclusivity(unchecked) @usableFromInline final var cursor = 0
    @usableFromInline let storage: FlowStorage<Value>
    /// The waiting values, only with ``DeliveryPolicy/buffered(_:onOverflow:)``.
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

    /// Whether a value differs from the last one that this subscriber saw, even if it skipped others in between.
    ///
    /// Calls the flow's equality, so it must not be called under the lock.
    @inlinable
    final func isNews(_ value: Value, afterSkipping: Bool) -> Bool {
        guard isConflated else { return true }
        if afterSkipping, let lastGiven, storage.areEquivalent(lastGiven, value) { return false }
        lastGiven = value
        return true
    }
}

/// The waiting values of one subscriber with a bounded buffer; accessed only under the flow's lock.
@usableFromInline
final class SubscriberBuffer<Value> {
    @usableFromInline let limit: Int
    @usableFromInline let rule: Overflow
    @exclusivity(unchecked) @usableFromInline var values: [Value] = []
    /// The number of values dropped since the buffer overflowed under ``Overflow/fail``.
    @exclusivity(unchecked) @usableFromInline var dropped = 0
    /// The version of the last value that was delivered directly, bypassing the buffer.
    @exclusivity(unchecked) @usableFromInline var handed = 0

    @inlinable
    init(limit: Int, rule: Overflow) {
        self.limit = max(1, limit)
        self.rule = rule
    }

    @inlinable
    var isEmpty: Bool { values.isEmpty }

    /// The end that the subscriber reaches once it has taken everything, if the buffer overflowed.
    @inlinable
    var overflow: FlowEnd? { dropped > 0 ? .overflowed(dropped: dropped) : nil }

    /// Appends a value under the rule; returns the value dropped for it.
    @inlinable
    func append(_ value: Value) -> Value? {
        guard dropped == 0 else {
            dropped += 1
            return nil
        }
        if values.count < limit {
            values.append(value)
            return nil
        }
        switch rule {
        case .dropNewest:
            return nil
        case .dropOldest:
            values.append(value)
            return values.removeFirst()
        case .fail:
            dropped = 1
            return nil
        }
    }

    @inlinable
    func removeFirst() -> Value? {
        values.isEmpty ? nil : values.removeFirst()
    }
}
