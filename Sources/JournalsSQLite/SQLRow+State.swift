import Journals
import States

extension SQLRow {
    /// How long a run may take, if that was told.
    func estimate(_ column: Int32) throws -> RunEstimate? {
        guard let text = optionalText(column) else { return nil }
        guard let estimate = RunEstimate(try JSONValue(parsing: text)) else {
            throw JournalError.damaged("an estimate")
        }
        return estimate
    }

    /// The state in six columns: case, payload, phase, done, total, unit.
    func state(from column: Int32) throws -> StateRecord {
        let progress = try optionalInteger(column + 3).map { done in
            WorkProgress(done, of: optionalInteger(column + 4), unit: try JournalCode.unit(integer(column + 5)))
        }
        return StateRecord(
            caseName: text(column), payload: try JSONValue(parsing: text(column + 1)),
            phase: try JournalCode.phase(integer(column + 2)), progress: progress)
    }
}
