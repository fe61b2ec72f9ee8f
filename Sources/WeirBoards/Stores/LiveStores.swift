import WeirFlows
import WeirJournals
import WeirStates
import WeirStores

final class LiveStores: Sendable {
    struct Member: Sendable {
        let store: any LiveStore
        let keys: StoreKeys
    }

    private let members = Locked<[String: Member]>([:])
    private let closed = Locked(false)

    subscript(id: String) -> Member? { members.withLock { $0[id] } }

    var isClosed: Bool { closed.withLock { $0 } }

    func add(_ store: any LiveStore, keys: StoreKeys, id: String) {
        members.withLock { $0[id] = Member(store: store, keys: keys) }
    }

    func recorded(_ change: Change) {
        guard case .store(let id) = change.stream else { return }
        self[id]?.store.recorded(change)
    }

    /// Releases all stores after the last recording, which breaks the reference cycle through the recorder.
    func removeAll() { members.withLock { $0 = [:] } }

    /// Stops the work of all stores, and rejects further commands.
    func close() {
        closed.withLock { $0 = true }
        for member in members.withLock({ Array($0.values) }) { member.store.stop() }
    }
}

/// The idempotency keys of a store's newest commands, with the commands.
///
/// Keys are separate for each actor.
final class StoreKeys: Sendable {
    /// The number of changes that are searched for keys when a board opens, and the maximum number of keys.
    static let limit = 1_000

    enum Asked: Sendable {
        case action(RecordedAction)
        case state(StateRecord)
        case returned(to: SequenceNumber)
        case reset

        /// The command of a recorded change; nil for a change without one.
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

        /// Whether a repeated request has the same content.
        func isRepeated(by asked: Asked) -> Bool {
            switch (self, asked) {
            case (.action(let known), .action(let asked)):
                // The recorded action can have additional fields, such as the actor and the time.
                let recorded = known.payload.withEqualNumbers.object ?? [:]
                let given = asked.payload.withEqualNumbers.object ?? [:]
                return known.name == asked.name && given.allSatisfy { recorded[$0.key] == $0.value }
            case (.state(let known), .state(let asked)):
                return known.caseName == asked.caseName
                    && known.payload.withEqualNumbers == asked.payload.withEqualNumbers
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

    /// The command that first used a key of that actor, or nil for a new key.
    ///
    /// Throws `keyReused` if that command's content differs.
    func command(of key: String, actor: String, _ asked: Asked) throws(BoardError) -> StoreCommand? {
        guard let (known, command) = core.withLock({ $0.known[Key(actor: actor, text: key)] }) else { return nil }
        guard known.isRepeated(by: asked) else {
            throw BoardError(.keyReused, .keyOfAction)
        }
        return command
    }

    /// Stores a command under its key, and removes the oldest key beyond the limit.
    func remember(_ asked: Asked, _ command: StoreCommand) {
        guard let text = command.idempotencyKey else { return }
        let key = Key(actor: command.actor, text: text)
        core.withLock { core in
            if core.known.updateValue((asked, command), forKey: key) == nil { core.order.append(key) }
            if core.order.count > Self.limit, let oldest = core.order.removeFirst() { core.known[oldest] = nil }
        }
    }
}

/// A command to a store, passed along to its commit and completed when the commit is recorded.
final class StoreCommand: CommitContext {
    let kind: StoreStep.Kind
    let actor: String?
    /// The sequence of the change whose state is restored.
    let returnedTo: SequenceNumber?
    let idempotencyKey: String?
    /// Resolves to the sequence of the change once it is recorded.
    let recorded = Deferred<SequenceNumber>()

    init(_ kind: StoreStep.Kind, actor: String?, returnedTo: SequenceNumber? = nil, idempotencyKey: String? = nil) {
        self.kind = kind
        self.actor = actor
        self.returnedTo = returnedTo
        self.idempotencyKey = idempotencyKey
    }
}
