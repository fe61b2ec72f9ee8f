/// What became of a report.
package struct ReportReceipt: Sendable, Hashable {
    /// Whether a report was taken, and why not.
    package enum Outcome: Sendable, Hashable {
        /// It was.
        case taken
        /// It had been taken before, and nothing more was done.
        case known
        /// There is no such run that this reporter reports.
        case unknownRun
        /// There was such a run, and retention has removed it: its name is not free again.
        case removedRun
        /// A run of that name was opened otherwise.
        case conflict
        /// The run has ended.
        case ended
        /// A later life of the same producer has taken over, which is in this epoch.
        case fenced(epoch: SequenceNumber)
        /// Requests of the producer are missing before this one.
        case gap(expected: SequenceNumber)
        /// A new epoch of a producer must begin with request 0.
        case badBeginning
        /// The run has as many producers as one may have.
        case tooManyProducers
    }

    /// Whether it was taken.
    package let outcome: Outcome
    /// The changes that it made.
    package let changes: [Change]
    /// The lines that it added.
    package let lines: [OutputLine]
    /// Where the run stands after it; nil where there is none that the reporter may know of.
    package let place: ReportPlace?
    /// Whether the run has ended.
    package let isEnded: Bool
    /// The producer's last request that was taken, where the report named one.
    package let producer: ProducerStamp?

    package init(
        _ outcome: Outcome, changes: [Change] = [], lines: [OutputLine] = [], place: ReportPlace? = nil,
        isEnded: Bool = false, producer: ProducerStamp? = nil
    ) {
        self.outcome = outcome
        self.changes = changes
        self.lines = lines
        self.place = place
        self.isEnded = isEnded
        self.producer = producer
    }
}

/// How far a reported run has come: its last change, and how many lines it has printed.
///
/// Every message that is recorded moves one of the two.
package struct ReportPlace: Sendable, Hashable {
    /// The sequence of its last change; 0 for none.
    package let sequence: SequenceNumber
    /// The number of its last line; 0 for none.
    package let line: SequenceNumber

    /// Makes a place of its parts.
    package init(sequence: SequenceNumber, line: SequenceNumber) {
        self.sequence = sequence
        self.line = line
    }
}
