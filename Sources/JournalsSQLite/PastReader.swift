import GRDB
import Journals

/// Reads what pages of the past are made of, at the same cost for a run of ten changes and for one of a million.
struct PastReader {
    private let database: Database

    init(_ database: Database) { self.database = database }

    /// A run as it stood at a sequence, and as it stands; nil if it is not kept.
    func past(of run: String, at sequence: Int64, limit: Int) throws -> RunPast? {
        let (topic, reader) = (Topic.run(run), ChangeReader(database))
        guard let opening = try reader.changes(of: topic, after: 0, through: .max, limit: 1).first,
            let newest = try reader.last(1, of: topic, through: .max).first
        else { return nil }
        let stream = opening.sequence
        let change = newest.sequence <= sequence ? newest : try reader.last(1, of: topic, through: sequence).first
        let last = try point(at: newest, of: stream, limit)
        return RunPast(
            opening: opening,
            standing: change == newest ? last : try change.map { try point(at: $0, of: stream, limit) }, newest: last,
            previous: try change.flatMap { try neighbour(of: $0.sequence, in: stream, "< ? ORDER BY sequence DESC") },
            next: try neighbour(of: change?.sequence ?? sequence, in: stream, "> ? ORDER BY sequence"))
    }

    /// How many runs of an operation had begun and not ended right after a sequence.
    func activeRuns(of operation: String, at sequence: Int64) throws -> Int {
        guard let number = try NameTable.number(of: operation, in: database) else { return 0 }
        // Those that ended later by the index of ends, those that go on by the index of what has no text yet.
        let count = try SQLStatement(
            database,
            """
            SELECT (SELECT count(*) FROM runs INDEXED BY runs_by_end
                    WHERE operation = ? AND sequence > ? AND opened <= ? AND ended IS NOT NULL)
                + (SELECT count(*) FROM runs INDEXED BY runs_without_text
                    WHERE indexed = 0 AND ended IS NULL AND operation = ? AND opened <= ?)
            """
        ).first(number, sequence, sequence, number, sequence) { $0.integer(0) }
        return Int(count ?? 0)
    }

    private func point(at change: Change, of stream: Int64, _ limit: Int) throws -> RunPast.Point {
        let shown = try SQLStatement(
            database,
            """
            SELECT sequence, revision, at, "case", phase FROM changes INDEXED BY transitions_of_stream
            WHERE stream = ? AND transition = 1 AND sequence <= ? ORDER BY sequence DESC LIMIT ?
            """
        ).all(stream, change.sequence, limit) { row in
            Transition(
                caseName: row.text(3), phase: try JournalCode.phase(row.integer(4)),
                at: Timestamp(milliseconds: row.integer(2)), sequence: row.integer(0), revision: row.integer(1))
        }
        let omitted = try SQLStatement(
            database,
            """
            SELECT count(*) FROM changes INDEXED BY transitions_of_stream
            WHERE stream = ? AND transition = 1 AND sequence < ?
            """
        ).first(stream, shown.last?.sequence ?? 0) { $0.integer(0) }
        return RunPast.Point(change: change, transitions: shown.reversed(), omitted: Int(omitted ?? 0))
    }

    private func neighbour(of sequence: Int64, in stream: Int64, _ condition: String) throws -> Int64? {
        try SQLStatement(
            database, "SELECT sequence FROM changes WHERE stream = ? AND sequence \(condition) LIMIT 1"
        ).first(stream, sequence) { $0.integer(0) }
    }
}
