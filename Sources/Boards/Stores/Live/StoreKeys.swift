import Flows
import Journals
import States

/// The idempotency keys of a store's newest actions, and what became of those.
final class StoreKeys: Sendable {
    /// How many of a store's changes are looked at for keys when a board opens, and how many keys are kept.
    static let limit = 1_000

    private struct Core {
        var known: [String: (action: RecordedAction, command: StoreCommand)] = [:]
        var order = Ring<String>()
    }

    private let core = Locked(Core())

    /// Remembers the keys of recorded changes.
    init(_ changes: [Change]) {
        for change in changes {
            guard let step = change.draft.step, let key = step.idempotencyKey, let action = step.action else {
                continue
            }
            let command = StoreCommand(.action, actor: step.actor, idempotencyKey: key)
            command.recorded.resolve(change.sequence)
            remember(key, action, command)
        }
    }

    /// What the first use of a key led to, or is about to; nil for a new key.
    ///
    /// Throws `keyReused` when that was another action.
    func command(of key: String, _ asked: RecordedAction) throws(BoardError) -> StoreCommand? {
        guard let (action, command) = core.withLock({ $0.known[key] }) else { return nil }
        // What was recorded may say more than was asked: who acted, and when.
        let recorded = action.payload.object ?? [:]
        let isSame = (asked.payload.object ?? [:]).allSatisfy { recorded[$0.key] == $0.value }
        guard action.name == asked.name, isSame else {
            throw BoardError(
                .keyReused, "This idempotency key was used for another action. Use a new key for each action.")
        }
        return command
    }

    /// Remembers what a key was used for; the oldest key is forgotten for it.
    func remember(_ key: String, _ action: RecordedAction, _ command: StoreCommand) {
        core.withLock { core in
            if core.known.updateValue((action, command), forKey: key) == nil { core.order.append(key) }
            if core.order.count > Self.limit, let oldest = core.order.removeFirst() { core.known[oldest] = nil }
        }
    }
}
