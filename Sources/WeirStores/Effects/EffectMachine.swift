/// Decides which listener receives which effect.
///
/// Pure; called under the mailbox's lock.
struct EffectMachine<Effect: Sendable> {
    /// An effect claimed for a listener, which can still return it.
    struct Claim {
        let number: Int64
        let effect: Effect
        let observer: String?
    }

    private let capacity: Int
    private var log: [(number: Int64, effect: Effect)] = []
    private var unclaimed: Set<Int64> = []
    private var cursors: [String: Int64] = [:]
    private var posted: Int64 = 0
    private var turns: Int64 = 0
    /// The number of effects that were dropped unclaimed because the log was full.
    private(set) var dropped = 0

    init(capacity: Int) {
        self.capacity = max(1, capacity)
    }

    /// The number of effects that nobody has claimed.
    var waiting: Int { unclaimed.count }

    /// Adds effects.
    ///
    /// The result differs each time, so that waiting listeners look again.
    mutating func post(_ effects: [Effect]) -> Int64 {
        for effect in effects {
            posted += 1
            log.append((posted, effect))
            unclaimed.insert(posted)
        }
        while log.count > capacity {
            if unclaimed.remove(log.removeFirst().number) != nil { dropped += 1 }
        }
        turns += 1
        return turns
    }

    /// Registers an observer on first sight: it receives what is posted from now on.
    mutating func register(_ observer: String?) {
        guard let observer, cursors[observer] == nil else { return }
        cursors[observer] = posted
    }

    /// Claims the oldest effect that the listener has not received.
    mutating func claim(_ observer: String?) -> Claim? {
        if let observer {
            let cursor = cursors[observer] ?? posted
            guard let next = log.first(where: { $0.number > cursor }) else { return nil }
            cursors[observer] = next.number
            return Claim(number: next.number, effect: next.effect, observer: observer)
        }
        guard let next = log.first(where: { unclaimed.contains($0.number) }) else { return nil }
        unclaimed.remove(next.number)
        return Claim(number: next.number, effect: next.effect, observer: nil)
    }

    /// Undoes a claim that was not used.
    mutating func giveBack(_ claim: Claim) {
        if let observer = claim.observer {
            cursors[observer] = min(cursors[observer] ?? claim.number, claim.number - 1)
        } else if log.contains(where: { $0.number == claim.number }) {
            unclaimed.insert(claim.number)
        }
    }

    /// Removes all effects.
    mutating func removeAll() {
        log = []
        unclaimed = []
    }
}
