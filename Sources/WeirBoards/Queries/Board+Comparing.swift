import WeirJournals
import WeirStates

extension Board {
    /// Compares two runs of one operation, as they stand.
    ///
    /// - Parameters:
    ///   - first: A run's id.
    ///   - second: Another run's id.
    /// - Returns: What they passed through, side by side.
    /// - Throws: `unknownRun`, `incomparable` for runs of different operations, and `unavailable`.
    package func comparison(of first: String, with second: String) async throws(BoardError) -> RunComparison {
        let (first, second) = (try await view(of: first), try await view(of: second))
        guard first.record.operation == second.record.operation else {
            throw .incomparable(first.record.operation, second.record.operation)
        }
        return RunComparison(first, second)
    }

    /// The newest run of the same operation that succeeded and was started before a run.
    ///
    /// - Parameter id: The run's id.
    /// - Returns: That run's id.
    /// - Throws: `unknownRun`, also when no run succeeded before, and `unavailable`.
    package func lastSuccess(before id: String) async throws(BoardError) -> String {
        let record = try await run(id)
        let query = RunQuery(
            operation: record.operation, phase: .succeeded, before: record.openedSequence, limit: 1)
        guard let success = try await runs(query).runs.first else { throw .noSuccess(before: id) }
        return success.id
    }
}
