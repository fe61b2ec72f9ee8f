/// What a command answers: which run it concerned, and the change it produced.
public struct StartReceipt: Sendable, Hashable {
    /// The run's id.
    public let run: String
    /// The sequence of the change that the command produced; a page that has come this far shows it.
    public let sequence: Int64
    /// False when the run was there before: the same idempotency key, or a run that was joined.
    public let isNew: Bool

    /// Makes a receipt.
    public init(run: String, sequence: Int64, isNew: Bool) {
        self.run = run
        self.sequence = sequence
        self.isNew = isNew
    }
}
