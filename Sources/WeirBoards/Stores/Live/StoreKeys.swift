import WeirFlows
import WeirJournals
import WeirStates

/// The idempotency keys of a store's newest commands, and what happened to those.
///
/// A key belongs to the actor who used it.
final class StoreKeys: Sendable {
    /// How many of a store's changes are looked at for keys when a board opens, and how many keys are kept.
    static let limit = 1_000

    /// What was asked of the store.
    enum Asked: Sendable {
        case action(RecordedAction)
        case state(StateRecord)
        case returned(to: SequenceNumber)
        case reset

        /// What a recorded change was asked for with; nil for what nobody asks for.
        init?(_ change: Change) {
            guard let step = change.draft.step else { return nil }
            switch step.kind {
            case .action:
                guard let action = step.action else { return nil }
                self = .action(action)
            case .rehydrated: self = .state(change.state)
            case .returned:
                guard let moment = step.returnedTo else { return nil }
                self = .returned(to: moment)
            case .reset: self = .reset
            case .opened, .unreadable: return nil
            }
        }

        /// Whether a repeated request asks for the same as this.
        func isRepeated(by asked: Asked) -> Bool {
            switch (self, asked) {
            case (.action(let known), .action(let asked)):
                // What was recorded may say more than was asked: who acted, and when.
                let recorded = known.payload.object ?? [:]
                return known.name == asked.name
                    && (asked.payload.object ?? [:]).allSatisfy { recorded[$0.key] == $0.value }
            case (.state(let known), .state(let asked)): return known == asked
            case (.returned(let known), .returned(let asked)): return known == asked
            case (.reset, .reset): return true
            default: return false
            }
        }
    }

    private struct Key: Hashable {
        let actor: String?
        let text: String
    }

    private struct Core {
        var known: [Key: (asked: Asked, command: StoreCommand)] = [:]
        var order = RingBuffer<Key>()
    }

    private let core = Locked(Core())

    /// Remembers the keys of recorded changes.
    init(_ changes: [Change]) {
        for change in changes {
            guard let step = change.draft.step, let key = step.idempotencyKey, let asked = Asked(change) else {
                continue
            }
            let command = StoreCommand(
                step.kind, actor: step.actor, returnedTo: step.returnedTo, idempotencyKey: key)
            command.recorded.resolve(change.sequence)
            remember(asked, command)
        }
    }

    /// What the first use of a key by that actor led to, or is about to; nil for a new key.
    ///
    /// Throws `keyReused` when that was something else.
    func command(of key: String, actor: String, _ asked: Asked) throws(BoardError) -> StoreCommand? {
        guard let (known, command) = core.withLock({ $0.known[Key(actor: actor, text: key)] }) else { return nil }
        guard known.isRepeated(by: asked) else {
            throw BoardError(.keyReused, .keyOfAction)
        }
        return command
    }

    /// Remembers what a command was asked for with, under its key; the oldest key is forgotten for it.
    func remember(_ asked: Asked, _ command: StoreCommand) {
        guard let text = command.idempotencyKey else { return }
        let key = Key(actor: command.actor, text: text)
        core.withLock { core in
            if core.known.updateValue((asked, command), forKey: key) == nil { core.order.append(key) }
            if core.order.count > Self.limit, let oldest = core.order.removeFirst() { core.known[oldest] = nil }
        }
    }
}
