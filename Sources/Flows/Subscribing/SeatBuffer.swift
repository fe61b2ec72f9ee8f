/// The values that wait for one subscriber with a bounded buffer.
struct SeatBuffer<Value> {
    private let limit: Int
    private let rule: Overflow
    private var values: [Value] = []
    /// How many values were left out since the buffer overflowed under ``Overflow/fail``.
    private(set) var dropped = 0

    init(limit: Int, rule: Overflow) {
        self.limit = max(1, limit)
        self.rule = rule
    }

    var isEmpty: Bool { values.isEmpty }

    /// Why the subscriber ends once it has taken everything, if it does.
    var overflow: FlowEnd? { dropped > 0 ? .overflowed(dropped: dropped) : nil }

    /// Lets a value in, by the rule; returns the one that had to go for it.
    mutating func append(_ value: Value) -> Value? {
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
    mutating func removeFirst() -> Value? {
        values.isEmpty ? nil : values.removeFirst()
    }
}
