import WeirFlows

/// Effects that wait to happen: each once for all listeners, and once more for each named observer.
///
/// Listeners without a name share the effects: an effect waits in a bounded queue while there is no listener, one
/// listener claims it, and it is offered again only if that listener was cancelled before it began. An observer with a
/// name receives every effect posted since it was first seen, and none again when it returns under the same name.
///
/// The source is the `Effect` of *Redux for KMP*, whose flag two observers could both see unset.
public final class EffectMailbox<Effect: Sendable>: Sendable {
    private let machine: Locked<EffectMachine<Effect>>
    private let posted = MutableStateFlow<Int64>(0)

    /// Creates an empty mailbox that holds at most this many effects.
    public init(capacity: Int) {
        machine = Locked(EffectMachine(capacity: capacity))
    }

    /// The number of effects that were dropped because no listener took them in time.
    public var droppedCount: Int { machine.withLock { $0.dropped } }

    /// The number of effects that nobody has claimed yet.
    public var waitingCount: Int { machine.withLock { $0.waiting } }

    /// Passes each effect to a handler, one after the other, until the task is cancelled.
    ///
    /// - Parameters:
    ///   - observer: a stable name under which each effect arrives once, independently of other listeners; nil to
    ///     share.
    ///   - handler: performs the effect. Once the handler has begun, the effect has happened, however it ends.
    public func handle(observer: String? = nil, _ handler: (Effect) async -> Void) async {
        machine.withLock { $0.register(observer) }
        for await _ in posted {
            while let claim = machine.withLock({ $0.claim(observer) }) {
                guard !Task.isCancelled else { return giveBack(claim) }
                await handler(claim.effect)
            }
        }
    }

    /// Claims the next effect without waiting; nil if there is none.
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

    /// Removes all waiting effects.
    func removeAll() {
        machine.withLock { $0.removeAll() }
    }

    private func giveBack(_ claim: EffectMachine<Effect>.Claim) {
        machine.withLock { $0.giveBack(claim) }
        posted.value = machine.withLock { $0.post([]) }
    }
}
