import Flows

/// Effects that wait to happen: each once for all, and once more for each observer with a name of its own.
///
/// Without a name, listeners share: an effect waits in a bounded queue while nobody listens, one listener claims it,
/// and it is offered again only if that listener was cancelled before it began. With a name, an observer gets every
/// effect posted since it was first seen, and none again after it comes back under the same name.
///
/// The source is the `Effect` of *Redux for KMP*, whose flag two observers could both see unset.
public final class EffectMailbox<Effect: Sendable>: Sendable {
    private let machine: Locked<EffectMachine<Effect>>
    private let posted = MutableStateFlow<Int64>(0)

    /// Makes an empty mailbox that holds so many effects at most.
    public init(capacity: Int) {
        machine = Locked(EffectMachine(capacity: capacity))
    }

    /// How many effects were dropped because nobody took them in time.
    public var droppedCount: Int { machine.withLock { $0.dropped } }

    /// How many effects nobody has claimed yet.
    public var waitingCount: Int { machine.withLock { $0.waiting } }

    /// Gives each effect to a handler, one after the other, until the task is cancelled.
    ///
    /// - Parameters:
    ///   - observer: a stable name to get each effect once under, whoever else gets it; nil to share.
    ///   - handler: what makes it happen. Once it has begun, the effect has happened, whatever becomes of it.
    public func handle(observer: String? = nil, _ handler: (Effect) async -> Void) async {
        machine.withLock { $0.register(observer) }
        for await _ in posted {
            while let claim = machine.withLock({ $0.claim(observer) }) {
                guard !Task.isCancelled else { return giveBack(claim) }
                await handler(claim.effect)
            }
        }
    }

    /// Claims the next effect without waiting; nil when none waits.
    public func next(observer: String? = nil) -> Effect? {
        machine.withLock { machine in
            machine.register(observer)
            return machine.claim(observer)?.effect
        }
    }

    /// Adds effects, oldest first.
    func post(_ effects: [Effect]) {
        guard !effects.isEmpty else { return }
        posted.value = machine.withLock { $0.post(effects) }
    }

    /// Drops all effects that wait.
    func removeAll() {
        machine.withLock { $0.removeAll() }
    }

    private func giveBack(_ claim: EffectMachine<Effect>.Claim) {
        machine.withLock { $0.giveBack(claim) }
        posted.value = machine.withLock { $0.post([]) }
    }
}
