/// The values that wait for one subscriber with a bounded buffer; accessed only under the flow's lock.
@usableFromInline
final class SubscriberBuffer<Value> {
    @usableFromInline let limit: Int
    @usableFromInline let rule: Overflow
    @exclusivity(unchecked) @usableFromInline var values: [Value] = []
    /// How many values were dropped since the buffer overflowed under ``Overflow/fail``.
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

    /// Why the subscriber ends once it has taken everything, if it does.
    @inlinable
    var overflow: FlowEnd? { dropped > 0 ? .overflowed(dropped: dropped) : nil }

    /// Adds a value by the rule; returns the value that was dropped for it.
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

    /// The oldest waiting value.
    @inlinable
    func removeFirst() -> Value? {
        values.isEmpty ? nil : values.removeFirst()
    }
}
