import Journals
import States

extension SQLRow {
    /// A place in the journal or in an output; throws for a number that is not one.
    func sequence(_ column: Int32) throws -> SequenceNumber {
        guard let sequence = SequenceNumber(exactly: integer(column)) else {
            throw JournalError.damaged("the number \(integer(column)) as a place")
        }
        return sequence
    }

    /// A place in a stream, from 0; throws for a number that is not one.
    func revision(_ column: Int32) throws -> Int64 { try sequence(column).rawValue }

    /// How long a run may take, if that was recorded.
    func estimate(_ column: Int32) throws -> RunEstimate? {
        guard let text = optionalText(column) else { return nil }
        guard let estimate = RunEstimate(try JSONValue(parsing: text)) else {
            throw JournalError.damaged("an estimate")
        }
        return estimate
    }

    /// Whether a run is reported, and its title.
    func report(_ column: Int32) -> RunReport? {
        optionalText(column).map { RunReport(title: $0.isEmpty ? nil : $0) }
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
