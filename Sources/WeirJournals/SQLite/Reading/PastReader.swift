import GRDB

/// Reads the data for pages of the past, at the same cost for a run of ten changes and for one of a million.
struct PastReader {
    private let database: Database

    init(_ database: Database) { self.database = database }

    /// A run as it was at a sequence, and as it is now; nil if it is not kept.
    func past(of run: String, at sequence: SequenceNumber, limit: Int) throws -> RunPast? {
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
    func activeRuns(of operation: String, at sequence: SequenceNumber) throws -> Int {
        guard let number = try NameTable.number(of: operation, in: database) else { return 0 }
        // Those that ended later, by the index of ends; active ones, by the index of runs without text.
        let count = try SQLStatement(
            database,
            """
            SELECT (SELECT count(*) FROM runs INDEXED BY runs_by_end
                    WHERE operation = ? AND sequence > ? AND opened <= ? AND ended IS NOT NULL)
                + (SELECT count(*) FROM runs INDEXED BY runs_without_text
                    WHERE indexed = 0 AND ended IS NULL AND operation = ? AND opened <= ?)
            """
        ).first(number, sequence, sequence, number, sequence) { $0.integer(0) }
        return Int(clamping: count ?? 0)
    }

    private func point(at change: Change, of stream: SequenceNumber, _ limit: Int) throws -> RunPast.Point {
        let shown = try SQLStatement(
            database,
            """
            SELECT sequence, revision, at, "case", phase FROM changes INDEXED BY transitions_of_stream
            WHERE stream = ? AND transition = 1 AND sequence <= ? ORDER BY sequence DESC LIMIT ?
            """
        ).all(stream, change.sequence, limit) { row in
            Transition(
                caseName: row.text(3), phase: try JournalCode.phase(row.integer(4)),
                at: Timestamp(milliseconds: row.integer(2)), sequence: try row.sequence(0),
                revision: try row.revision(1))
        }
        let omitted = try SQLStatement(
            database,
            """
            SELECT count(*) FROM changes INDEXED BY transitions_of_stream
            WHERE stream = ? AND transition = 1 AND sequence < ?
            """
        ).first(stream, shown.last?.sequence ?? 0) { $0.integer(0) }
        return RunPast.Point(change: change, transitions: shown.reversed(), omitted: Int(clamping: omitted ?? 0))
    }

    private func neighbour(
        of sequence: SequenceNumber, in stream: SequenceNumber, _ condition: String
    ) throws -> SequenceNumber? {
        try SQLStatement(
            database, "SELECT sequence FROM changes WHERE stream = ? AND sequence \(condition) LIMIT 1"
        ).first(stream, sequence) { try $0.sequence(0) }
    }
}
