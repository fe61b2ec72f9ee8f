package import WeirBoards
package import WeirJournals
import WeirStates

/// The other runs on a run's page: those of its failed steps, the earlier ones of its operation, and its queue.
package struct RunSurroundings: Sendable, Hashable {
    /// The runs of the failed steps, whose errors explain the end of the whole.
    var failedSteps: [RunRecord] = []
    /// The number of failures in a row among the known runs, the run included; 0 unless it failed.
    var failures = 0
    /// Whether runs that are not known could lengthen the row.
    var isOpenEnded = false
    /// The success before the row.
    var success: RunRecord?
    /// The last success before the run, with which it can be compared.
    package var earlierSuccess: String?
    /// The number of active runs of the operation that began before a queued run.
    var ahead = 0
    /// The oldest known of them.
    var front: String?
    /// Whether the run that this one retries was deleted.
    package var isRetriedDeleted = false

    init() {}

    /// Creates the surroundings of a run as of a board, with runs of failed steps that the board no longer contains.
    package init(of run: RunView, on board: BoardView, steps: [RunRecord] = []) {
        let (record, known) = (run.record, board.operation(run.record.operation)?.recent ?? [])
        failedSteps = Self.failedSteps(of: record).compactMap { step in
            board.operation(step.operation)?.recent.first { $0.record.id == step.run }?.record
                ?? steps.first { $0.id == step.run }
        }
        if record.endedAt == nil, record.state.phase == .idle {
            wait(for: known.filter { $0.record.endedAt == nil }, record, board.operation(record.operation)?.activeRuns)
        }
        guard record.isOutcome, record.state.phase != .succeeded else { return }
        let before = known.map(\.record).filter { $0.openedSequence <= record.openedSequence }
        guard before.contains(where: { $0.id == record.id }) else { return }
        let row = FailureRow(before) { $0 }
        (failures, success) = (row.failures.count, row.success)
        isOpenEnded = success == nil && known.count >= OperationView.recentLimit
    }

    private mutating func wait(for active: [RunView], _ record: RunRecord, _ count: Int?) {
        guard active.contains(where: { $0.record.id == record.id }), let count else { return }
        ahead = max(count - 1 - active.count { $0.record.openedSequence > record.openedSequence }, 0)
        front =
            active.map(\.record).filter { $0.openedSequence < record.openedSequence }
            .min { $0.openedSequence < $1.openedSequence }?.id
    }

    /// The runs of the failed steps, and of the first failed item of each failed list.
    package static func failedSteps(of record: RunRecord) -> [(operation: String, run: String)] {
        failedSteps(of: record) { try? record.state.payload.decode(StepsProgress.self) }
    }

    static func failedSteps(
        of record: RunRecord, reading: () -> StepsProgress?
    ) -> [(operation: String, run: String)] {
        guard record.state.phase == .failed, record.state.payload["steps"] != nil, let progress = reading() else {
            return []
        }
        return progress.steps.compactMap { step in
            guard step.status == .failed, !step.allowsFailure, let operation = step.operation,
                let run = step.run ?? step.items?.failedRun
            else { return nil }
            return (operation, run)
        }
    }
}

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
