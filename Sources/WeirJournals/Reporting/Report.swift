package import WeirStates

/// What a reporter sends of one run in one request: a journal takes it wholly or not at all.
///
/// A reporter is a program elsewhere that does the work of a run and says how it goes.
package struct Report: Sendable, Hashable {
    /// One message.
    package enum Entry: Sendable, Hashable {
        /// The run is in this state.
        case state(StateRecord)
        /// The run has printed this line.
        case line(String, OutputChannel)
    }

    /// How a report ends its run.
    package enum Ending: Sendable, Hashable {
        /// It does not.
        case none
        /// The reporter says that the work is over, in this state, or nil for having succeeded.
        case closed(StateRecord?)
        /// Somebody here asked for it.
        case cancelled(EndCause)
        /// Nothing is heard of the reporter any more.
        case interrupted(EndCause)
    }

    /// The run's id, which its reporter chose.
    package let run: String
    /// The id of its operation.
    package let operation: String
    /// Who reports; nil for the server itself, which may end any run.
    package let reporter: String?
    /// What the run is opened with; nil where it is open already.
    package let opening: RunOpening?
    /// The messages, in their order.
    package let entries: [Entry]
    /// Whether and how the run ends with them.
    package let ending: Ending
    /// Which of its producer's requests this is, so that a repetition is known as such.
    package let producer: ProducerStamp?
    /// How long the reporter may be silent from now on, if it asks for longer than is usual.
    package let lease: Duration?

    /// Makes a report of its parts; an ended state among the entries counts as one in which the work goes on.
    package init(
        run: String, operation: String, reporter: String?, opening: RunOpening? = nil, entries: [Entry] = [],
        ending: Ending = .none, producer: ProducerStamp? = nil, lease: Duration? = nil
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
        self.producer = producer
        self.lease = lease
    }

    /// Whether the run ends with it.
    package var isEnding: Bool { ending != .none }
}
