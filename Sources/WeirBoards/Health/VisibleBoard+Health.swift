import WeirAccess
package import WeirJournals
import WeirStates

extension VisibleBoard {
    /// How many successes are looked at state by state, the newest.
    private static var detailedRuns: Int { 20 }
    /// How many changes such a run has at most: longer ones would take long to read.
    private static var detailedChanges: Int64 { 500 }

    /// How an operation has done lately, as far as its runs may be seen; runs that were imported do not count.
    ///
    /// Throws `unknownOperation`, and `unavailable` when the journal cannot be read.
    package func health(of operation: String, asOf now: Timestamp) async throws(BoardError) -> OperationHealth {
        try require(.see, onOperation: operation)
        let page = try await runs(
            RunQuery(
                operation: operation, startedAfter: now.before(OperationHealth.span), isImported: false,
                limit: OperationHealth.runLimit))
        var details: [RunView] = []
        let successes = page.runs.filter { $0.state.phase == .succeeded && $0.revision <= Self.detailedChanges }
        for record in successes.prefix(Self.detailedRuns) {
            do {
                details.append(try await run(record.id))
            } catch {
                // Removed in between.
                guard [.unknownRun, .removedRun].contains(error.code) else { throw error }
            }
        }
        return OperationHealth(
            of: operation, runs: page.runs, isCut: page.next != nil, details: details, asOf: now)
    }
}
