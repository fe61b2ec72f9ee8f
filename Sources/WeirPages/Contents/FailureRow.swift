import WeirJournals
import WeirStates

/// The failures in a row with which the outcomes of an operation end.
struct FailureRow<Run> {
    /// The failures, newest first; empty if the newest outcome is a success.
    let failures: ArraySlice<Run>
    /// The success before the row, or nil if the known runs have none.
    let success: Run?
    /// The newest failure, in the row or before a success.
    let newest: Run?

    /// Creates the row of known runs, newest first, of which those without an outcome are ignored.
    init(_ runs: [Run], record: (Run) -> RunRecord) {
        func isFailure(_ run: Run) -> Bool { record(run).state.phase != .succeeded }
        let ended = runs.filter { record($0).isOutcome }
        failures = ended.prefix(while: isFailure)
        success = ended.dropFirst(failures.count).first
        newest = ended.first(where: isFailure)
    }
}

extension RunRecord {
    /// Whether the end of the run is a success or a failure: cancelled and imported runs are neither.
    var isOutcome: Bool {
        endedAt != nil && origin == nil && [.succeeded, .failed, .interrupted].contains(state.phase)
    }
}
