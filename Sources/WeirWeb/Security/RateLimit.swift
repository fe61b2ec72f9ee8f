import NIOConcurrencyHelpers

/// Limits how often each actor, and all actors together, may do something.
final class RateLimit: Sendable {
    private struct State {
        var each: RateMachine<String>
        var all: RateMachine<Bool>
    }

    private let clock: any WaitClock
    private let state: NIOLockedValueBox<State>

    init(perMinute: Int, clock: any WaitClock) {
        let count = min(max(1, perMinute), 60_000)
        self.clock = clock
        state = NIOLockedValueBox(
            State(each: RateMachine(perMinute: count), all: RateMachine(perMinute: count * 4)))
    }

    /// Takes a token for an actor; if none is left, throws a problem with the delay, and takes nothing.
    func take(for actor: String) throws(Problem) {
        let now = clock.uptime
        let wait = state.withLockedValue { state -> Int64 in
            let wait = max(state.each.wait(of: actor, now: now), state.all.wait(of: true, now: now))
            if wait == 0 {
                state.each.take(actor, now: now)
                state.all.take(true, now: now)
            }
            return wait
        }
        if wait > 0 { throw .tooFrequent(retryAfter: wait) }
    }
}

/// Token buckets by key, which refill evenly and hold one minute's tokens.
///
/// Stores only when each bucket is full again (the generic cell rate algorithm), so full buckets need no memory.
struct RateMachine<Key: Hashable & Sendable>: Sendable {
    /// The number of buckets at which full ones are removed.
    static var tidyAt: Int { 1_000 }

    private static var minute: Int64 { 60_000 }
    private let interval: Int64
    private var fullAt: [Key: Int64] = [:]

    /// - Parameter perMinute: From 1 to 60,000; at larger values a token still takes a millisecond.
    init(perMinute: Int) { interval = max(1, Self.minute / Int64(max(1, perMinute))) }

    /// The number of stored buckets, including buckets that have refilled since the last cleanup.
    var count: Int { fullAt.count }

    func wait(of key: Key, now: Int64) -> Int64 {
        max(0, max(fullAt[key] ?? now, now) - now + interval - Self.minute)
    }

    mutating func take(_ key: Key, now: Int64) {
        if fullAt.count >= Self.tidyAt { fullAt = fullAt.filter { $0.value > now } }
        fullAt[key] = max(fullAt[key] ?? now, now) + interval
    }
}
