import NIOConcurrencyHelpers
import NIOCore
import WeirJournals

/// Caches of rendered and encoded data, shared by all audiences so that memory use does not grow with their number.
final class PollCaches: Sendable {
    let batches = GenerationCache<PollEncoder.BatchKey, ByteBuffer>(limit: 16 * 1_024 * 1_024)
    let messages = GenerationCache<PollEncoder.MessageKey, ByteBuffer>(limit: 4 * 1_024 * 1_024)
    let events = GenerationCache<PollEncoder.EventKey, ByteBuffer>(limit: 32 * 1_024 * 1_024)
    let chunks = GenerationCache<StreamAnswers.ChunkKey, StreamChunk>(limit: 16 * 1_024 * 1_024)
    let pages = PageCache()
    let changes = GenerationCache<SequenceNumber, ByteBuffer>(limit: 16 * 1_024 * 1_024)
}

/// A cost-bounded cache with two generations; entries not read during a whole generation are evicted.
final class GenerationCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct State {
        var young: [Key: (value: Value, cost: Int)] = [:]
        var old: [Key: (value: Value, cost: Int)] = [:]
        var youngCost = 0
    }

    private let limit: Int
    private let state = NIOLockedValueBox(State())

    /// Creates a cache whose total cost stays below `limit`, give or take one value.
    init(limit: Int) { self.limit = limit }

    func known(_ key: Key) -> Value? {
        state.withLockedValue { state in
            if let entry = state.young[key] { return entry.value }
            guard let entry = state.old.removeValue(forKey: key) else { return nil }
            insert(entry, for: key, into: &state)
            return entry.value
        }
    }

    /// Returns the cached value, or makes and caches it.
    ///
    /// `make` runs outside the lock, so concurrent callers may both run it.
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
