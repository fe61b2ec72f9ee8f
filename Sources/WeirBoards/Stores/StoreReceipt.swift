package import WeirJournals

/// What a command to a store answers: the change it produced.
public struct StoreReceipt: Sendable, Hashable {
    /// The store's id.
    package let store: String
    /// The sequence of the change; a page that has come this far shows it.
    ///
    /// Nil when it could not be recorded in time: the store has changed all the same, and the command must not be
    /// repeated but with its idempotency key.
    package let sequence: SequenceNumber?
    /// False when an earlier request with the same idempotency key produced the change.
    public let isNew: Bool

    /// Creates a receipt.
    package init(store: String, sequence: SequenceNumber?, isNew: Bool = true) {
        self.store = store
        self.sequence = sequence
        self.isNew = isNew
    }
}
