package import WeirJournals
import WeirStates

/// A user's note that the failures of an operation, or the missing starts of its schedule, are known.
///
/// It applies until a success of the operation or a start of the schedule, or until a time if that is earlier.
package struct Acknowledgement: Sendable, Hashable, Codable {
    package let by: String
    package let at: Timestamp
    package let note: String?
    package let until: Timestamp?
    /// The sequence of the opening of the operation's newest failure at that time, or of the newest change if it did not fail.
    let failure: SequenceNumber
    /// The first of the scheduled starts that did not happen; nil if the latest happened.
    let unstartedSince: Timestamp?
    /// False if the operation did not fail; nil otherwise.
    private let isOfFailures: Bool?

    package init(
        by: String, at: Timestamp, note: String?, until: Timestamp?, failure: SequenceNumber,
        unstartedSince: Timestamp? = nil, isOfFailures: Bool = true
    ) {
        self.isOfFailures = isOfFailures ? nil : false
        self.unstartedSince = unstartedSince
        self.by = by
        self.at = at
        self.note = note
        self.until = until
        self.failure = failure
    }

    /// Whether the acknowledgement applies to failures after a success, the last one before them.
    package func applies(after success: RunRecord?) -> Bool {
        isOfFailures ?? true && success.map { $0.openedSequence < failure } ?? true
    }

    /// Whether the acknowledgement applies to the latest start of a schedule, which did not happen.
    package func applies(to standing: ScheduleStanding) -> Bool {
        unstartedSince != nil && unstartedSince == standing.firstUnstarted
    }

    func isCurrent(at now: Timestamp) -> Bool { until.map { $0 > now } ?? true }
}

extension RunRecord {
    /// Whether the end of the run is a success or a failure: cancelled and imported runs are neither.
    package var isOutcome: Bool {
        endedAt != nil && origin == nil && [.succeeded, .failed, .interrupted].contains(state.phase)
    }
}
