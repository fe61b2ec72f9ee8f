import WeirJournals
import WeirStates
import WeirStores

/// One thing that somebody asked of a store: carried to the commit, and told when that is recorded.
final class StoreCommand: CommitContext {
    /// How it is written down.
    let kind: StoreStep.Kind
    /// Who asked.
    let actor: String?
    /// Which change's state is put back.
    let returnedTo: SequenceNumber?
    /// The key under which a repeated request finds it.
    let idempotencyKey: String?
    /// The sequence of the change, once it is recorded.
    let recorded = Deferred<SequenceNumber>()

    init(_ kind: StoreStep.Kind, actor: String?, returnedTo: SequenceNumber? = nil, idempotencyKey: String? = nil) {
        self.kind = kind
        self.actor = actor
        self.returnedTo = returnedTo
        self.idempotencyKey = idempotencyKey
    }
}
