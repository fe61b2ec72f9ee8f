package import WeirJournals
import WeirStates

/// A user's note that the failures of an operation are known.
///
/// It applies until a success of the operation, or until a time if that is earlier.
package struct Acknowledgement: Sendable, Hashable, Codable {
    package let by: String
    package let at: Timestamp
    package let note: String?
    package let until: Timestamp?
    /// The sequence of the opening of the operation's newest failure at that time.
    let failure: SequenceNumber

    package init(by: String, at: Timestamp, note: String?, until: Timestamp?, failure: SequenceNumber) {
        self.by = by
        self.at = at
        self.note = note
        self.until = until
        self.failure = failure
    }

    /// Whether the acknowledgement applies to failures after a success, the last one before them.
    package func applies(after success: RunRecord?) -> Bool {
        success.map { $0.openedSequence < failure } ?? true
    }

    func isCurrent(at now: Timestamp) -> Bool { until.map { $0 > now } ?? true }
}

extension RunRecord {
    /// Whether the end of the run is a success or a failure: cancelled and imported runs are neither.
    package var isOutcome: Bool {
        endedAt != nil && origin == nil && [.succeeded, .failed, .interrupted].contains(state.phase)
    }
}
