package import WeirJournals

/// What a command answers: which run it concerned, and the change it produced.
public struct StartReceipt: Sendable, Hashable {
    /// The run's id.
    public let run: String
    /// The sequence of the change that the command produced; a page that has come this far shows it.
    ///
    /// Nil when that change could not be recorded in time: the command has had its effect all the same, and must not be
    /// repeated.
    package let sequence: SequenceNumber?
    /// False when the run was there before: the same idempotency key, or a run that was joined.
    public let isNew: Bool

    /// Creates a receipt.
    package init(run: String, sequence: SequenceNumber?, isNew: Bool) {
        self.run = run
        self.sequence = sequence
        self.isNew = isNew
    }
}
