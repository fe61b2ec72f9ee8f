/// What a command to a store answers: the change it produced, which is recorded by then.
public struct StoreReceipt: Sendable, Hashable {
    /// The store's id.
    public let store: String
    /// The sequence of the change; a page that has come this far shows it.
    public let sequence: Int64
    /// False when an earlier request with the same idempotency key produced the change.
    public let isNew: Bool

    /// Makes a receipt.
    public init(store: String, sequence: Int64, isNew: Bool = true) {
        self.store = store
        self.sequence = sequence
        self.isNew = isNew
    }
}
