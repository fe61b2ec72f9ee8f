package import WeirStates

/// The messages of a reporter about one run in one request, recorded entirely or not at all.
///
/// A reporter is a program elsewhere that executes a run and reports its progress.
package struct Report: Sendable, Hashable {
    package enum Entry: Sendable, Hashable {
        case state(StateRecord)
        case line(String, OutputChannel, continues: Bool = false)
    }

    package enum Ending: Sendable, Hashable {
        /// The run continues.
        case none
        /// The reporter closed the run in this state, or as succeeded if nil.
        case closed(StateRecord?)
        /// A user cancelled the run.
        case cancelled(EndCause)
        /// The reporter stopped reporting.
        case interrupted(EndCause)
    }

    /// The run's id, chosen by the reporter.
    package let run: String
    package let operation: String
    /// The reporter's name; nil for the server itself, which may end any run.
    let reporter: String?
    /// The parameters of a new run; nil if the run is already open.
    package let opening: RunOpening?
    package let entries: [Entry]
    let ending: Ending
    /// When the entries, and after them the end, happened by the reporter's clock; of a new run, when it began.
    ///
    /// What has no time happened at the report's arrival.
    let happenedAt: [Timestamp?]
    /// The position among the producer's requests, to recognise a repetition.
    package let producer: ProducerStamp?
    /// The requested time without messages, if longer than the default.
    package let lease: Duration?

    /// Creates a report; ended states among the entries become active ones.
    package init(
        run: String, operation: String, reporter: String?, opening: RunOpening? = nil, entries: [Entry] = [],
        ending: Ending = .none, happenedAt: [Timestamp?] = [], producer: ProducerStamp? = nil, lease: Duration? = nil
    ) {
        self.run = run
        self.operation = operation
        self.reporter = reporter
        self.opening = opening
        self.entries = entries.map { entry in
            guard case .state(let state) = entry, state.phase.isEnded else { return entry }
            return .state(
                StateRecord(
                    caseName: state.caseName, payload: state.payload, phase: .active, progress: state.progress))
        }
        self.ending = ending
        self.happenedAt = happenedAt
        self.producer = producer
        self.lease = lease
    }

    package var isEnding: Bool { ending != .none }

    /// When an entry happened: at the report's arrival at the latest.
    func moment(of entry: Int, arrival: Timestamp) -> Timestamp {
        min((happenedAt.indices.contains(entry) ? happenedAt[entry] : nil) ?? arrival, arrival)
    }
}

package struct ReportReceipt: Sendable, Hashable {
    package enum Outcome: Sendable, Hashable {
        /// The report was recorded.
        case taken
        /// The report is a repetition and had no effect.
        case known
        /// This reporter has no such run.
        case unknownRun
        /// Retention has removed the run; its id stays reserved.
        case removedRun
        /// A run with this id was opened with other parameters.
        case conflict
        case ended
        /// A later epoch of the producer is in use.
        case fenced(epoch: SequenceNumber)
        /// Earlier requests of the producer are missing.
        case gap(expected: SequenceNumber)
        /// A new epoch of a producer must begin with request 0.
        case badBeginning
        /// The run has the maximum number of producers.
        case tooManyProducers
    }

    package let outcome: Outcome
    package let changes: [Change]
    package let lines: [OutputLine]
    /// The run's position afterwards; nil if the reporter may not see the run.
    package let place: ReportPlace?
    package let isEnded: Bool
    /// The producer's last accepted request, if the report named a producer.
    package let producer: ProducerStamp?

    init(
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

/// The position of a reported run: its last change and its last line.
///
/// Every recorded message advances one of the two.
package struct ReportPlace: Sendable, Hashable {
    /// The sequence of the last change, or 0.
    package let sequence: SequenceNumber
    /// The number of the last line, or 0.
    package let line: SequenceNumber

    package init(sequence: SequenceNumber, line: SequenceNumber) {
        self.sequence = sequence
        self.line = line
    }
}

/// Identifies a request of a producer, so that a repeated report is recognised.
///
/// Section 5.2.1 of the Durable Streams protocol: a producer counts its requests from 0 within an epoch, and begins a
/// new epoch when it has lost count. Both numbers are at most 2⁵³ − 1, the range of `SequenceNumber`.
package struct ProducerStamp: Sendable, Hashable {
    /// The producer's name, stable across restarts: 1 to 255 bytes.
    package let id: String
    package let epoch: SequenceNumber
    /// The number of the request within the epoch, from 0.
    package let number: SequenceNumber

    package init(id: String, epoch: SequenceNumber, number: SequenceNumber) {
        self.id = id
        self.epoch = epoch
        self.number = number
    }
}

/// The progress of a producer within one run.
package struct ProducerState: Sendable, Hashable {
    /// The relation of a request to the producer's state.
    enum Decision: Hashable, Sendable {
        /// The next request.
        case next
        /// A repetition of an accepted request.
        case known
        /// A later epoch of the producer is in use.
        case fenced
        /// Earlier requests are missing.
        case gap(expected: SequenceNumber)
        /// A new epoch must begin with request 0.
        case badBeginning
    }

    /// The maximum number of producers of one run.
    static let limit = 100

    package let epoch: SequenceNumber
    /// The last accepted request.
    package let number: SequenceNumber
    /// Whether that request closed the run.
    package let hasClosed: Bool

    package init(epoch: SequenceNumber, number: SequenceNumber, hasClosed: Bool) {
        self.epoch = epoch
        self.number = number
        self.hasClosed = hasClosed
    }

    /// The relation of a request to a producer's state, which is nil for an unknown producer.
    static func decision(on stamp: ProducerStamp, after state: ProducerState?) -> Decision {
        guard let state else { return stamp.number == 0 ? .next : .gap(expected: 0) }
        if stamp.epoch < state.epoch { return .fenced }
        if stamp.epoch > state.epoch { return stamp.number == 0 ? .next : .badBeginning }
        if stamp.number <= state.number { return .known }
        return stamp.number == state.number.next ? .next : .gap(expected: state.number.next)
    }

    func closed(by stamp: ProducerStamp) -> Bool {
        hasClosed && epoch == stamp.epoch && number == stamp.number
    }
}
