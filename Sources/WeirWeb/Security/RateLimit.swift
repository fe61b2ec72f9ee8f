import NIOConcurrencyHelpers

/// How often something may be done: by each one who does it, and by all together.
final class RateLimit: Sendable {
    private struct State {
        var each: RateMachine<String>
        var all: RateMachine<Bool>
    }

    private let clock: any WaitClock
    private let state: NIOLockedValueBox<State>

    /// Makes a limit of so many times a minute for each, and four times as many for all together.
    init(perMinute: Int, clock: any WaitClock) {
        let count = min(max(1, perMinute), 60_000)
        self.clock = clock
        state = NIOLockedValueBox(
            State(each: RateMachine(perMinute: count), all: RateMachine(perMinute: count * 4)))
    }

    /// Counts one more time for somebody; throws the problem that says when to come back, and then counts nothing.
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

/// A token bucket for each key, which fills evenly and holds a minute's worth.
///
/// Pure. Of a bucket only the moment is kept at which it will be full again (the generic cell rate algorithm), so a full
/// one needs no memory.
struct RateMachine<Key: Hashable & Sendable>: Sendable {
    /// How many buckets there may be before those that are full again are dropped.
    static var tidyAt: Int { 1_000 }

    private static var minute: Int64 { 60_000 }
    private let interval: Int64
    private var fullAt: [Key: Int64] = [:]

    /// - Parameter perMinute: From 1 to 60,000; beyond, a token takes a millisecond all the same.
    init(perMinute: Int) { interval = max(1, Self.minute / Int64(max(1, perMinute))) }

    /// How many buckets are not full, or were not when that was last looked at.
    var count: Int { fullAt.count }

    /// For how many milliseconds the key's bucket is still empty.
    func wait(of key: Key, now: Int64) -> Int64 {
        max(0, max(fullAt[key] ?? now, now) - now + interval - Self.minute)
    }

    /// Takes a token.
    mutating func take(_ key: Key, now: Int64) {
        if fullAt.count >= Self.tidyAt { fullAt = fullAt.filter { $0.value > now } }
        fullAt[key] = max(fullAt[key] ?? now, now) + interval
    }
}
