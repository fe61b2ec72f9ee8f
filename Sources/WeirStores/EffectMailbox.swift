import WeirFlows

/// A queue of effects that delivers each effect once to all unnamed listeners, and once to each named observer.
///
/// Unnamed listeners share the effects: an effect waits in a bounded queue while there is no listener, one listener
/// claims it, and it is offered again only if that listener was cancelled before it began. A named observer receives
/// every effect posted since it first registered, and none twice when it returns under the same name.
///
/// Based on the `Effect` of *Redux for KMP*, whose flag two observers could both see unset.
public final class EffectMailbox<Effect: Sendable>: Sendable {
    private let machine: Locked<EffectMachine<Effect>>
    private let posted = MutableStateFlow<Int64>(0)

    /// Creates an empty mailbox with a maximum number of effects.
    public init(capacity: Int) {
        machine = Locked(EffectMachine(capacity: capacity))
    }

    /// The number of effects that were dropped because no listener claimed them in time.
    public var droppedCount: Int { machine.withLock { $0.dropped } }

    /// The number of effects that no listener has claimed yet.
    public var waitingCount: Int { machine.withLock { $0.waiting } }

    /// Passes each effect to a handler, one after the other, until the task is cancelled.
    ///
    /// - Parameters:
    ///   - observer: a stable name under which each effect is received once, independently of other listeners; nil to
    ///     share.
    ///   - handler: performs the effect. Once the handler has begun, the effect counts as delivered.
    public func handle(observer: String? = nil, _ handler: (Effect) async -> Void) async {
        machine.withLock { $0.register(observer) }
        for await _ in posted {
            while let claim = machine.withLock({ $0.claim(observer) }) {
                guard !Task.isCancelled else { return giveBack(claim) }
                await handler(claim.effect)
            }
        }
    }

    /// Claims the next effect without waiting, or returns nil.
    public func next(observer: String? = nil) -> Effect? {
        machine.withLock { machine in
            machine.register(observer)
            return machine.claim(observer)?.effect
        }
    }

    func post(_ effects: [Effect]) {
        guard !effects.isEmpty else { return }
        posted.value = machine.withLock { $0.post(effects) }
    }

    func removeAll() {
        machine.withLock { $0.removeAll() }
    }

    private func giveBack(_ claim: EffectMachine<Effect>.Claim) {
        machine.withLock { $0.giveBack(claim) }
        posted.value = machine.withLock { $0.post([]) }
    }
}

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

    var waiting: Int { unclaimed.count }

    /// Adds effects.
    ///
    /// Returns a different number each time, which wakes waiting listeners.
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

    /// Registers a new observer, which receives the effects posted after this.
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

    mutating func giveBack(_ claim: Claim) {
        if let observer = claim.observer {
            cursors[observer] = min(cursors[observer] ?? claim.number, claim.number - 1)
        } else if log.contains(where: { $0.number == claim.number }) {
            unclaimed.insert(claim.number)
        }
    }

    mutating func removeAll() {
        log = []
        unclaimed = []
    }
}
