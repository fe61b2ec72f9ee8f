import NIOConcurrencyHelpers

/// A cache bounded by cost, with two generations: what was not asked for during a whole generation is forgotten.
final class GenerationCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct State {
        var young: [Key: (value: Value, cost: Int)] = [:]
        var old: [Key: (value: Value, cost: Int)] = [:]
        var youngCost = 0
    }

    private let limit: Int
    private let state = NIOLockedValueBox(State())

    /// Makes a cache that keeps values of at most this cost in all, give or take one value.
    init(limit: Int) { self.limit = limit }

    /// The value, if it is there.
    func known(_ key: Key) -> Value? {
        state.withLockedValue { state in
            if let entry = state.young[key] { return entry.value }
            guard let entry = state.old.removeValue(forKey: key) else { return nil }
            insert(entry, for: key, into: &state)
            return entry.value
        }
    }

    /// The value, made when it is not there.
    ///
    /// Made outside of the lock: two who ask in the same moment may both make it.
    func value(for key: Key, cost: (Value) -> Int, make: () -> Value) -> Value {
        if let known = known(key) { return known }
        let value = make()
        let entry = (value: value, cost: cost(value))
        state.withLockedValue { insert(entry, for: key, into: &$0) }
        return value
    }

    private func insert(_ entry: (value: Value, cost: Int), for key: Key, into state: inout State) {
        if state.youngCost + entry.cost > limit / 2 {
            state.old = state.young
            state.young = [:]
            state.youngCost = 0
        }
        let replaced = state.young.updateValue(entry, forKey: key)
        state.youngCost += entry.cost - (replaced?.cost ?? 0)
    }
}
