import WeirJournals

/// Reads the data for pages of the past, at the same cost for a run of ten changes and for one of a million.
struct PastReader {
    private let connection: PostgresConnection

    init(_ connection: PostgresConnection) { self.connection = connection }

    /// A run as it was at a sequence, and as it is now; nil if it is not kept.
    func past(of run: String, at sequence: SequenceNumber, limit: Int) throws -> RunPast? {
        let (topic, reader) = (Topic.run(run), ChangeReader(connection))
        guard let opening = try reader.changes(of: topic, after: .zero, through: .max, limit: 1).first,
            let newest = try reader.last(1, of: topic, through: .max).first
        else { return nil }
        let stream = opening.sequence
        let change = newest.sequence <= sequence ? newest : try reader.last(1, of: topic, through: sequence).first
        let last = try point(at: newest, of: stream, limit)
        return RunPast(
            opening: opening,
            standing: change == newest ? last : try change.map { try point(at: $0, of: stream, limit) }, newest: last,
            previous: try change.flatMap { try neighbour(of: $0.sequence, in: stream, "< $2 ORDER BY sequence DESC") },
            next: try neighbour(of: change?.sequence ?? sequence, in: stream, "> $2 ORDER BY sequence"))
    }

    /// How many runs of an operation had begun and not ended right after a sequence.
    func activeRuns(of operation: String, at sequence: SequenceNumber) throws -> Int {
        guard let number = try Names(connection).number(of: operation) else { return 0 }
        let count = try connection.first(
            """
            SELECT (SELECT count(*) FROM weir.runs
                    WHERE operation = $1 AND ended_sequence > $2 AND opened <= $2 AND ended IS NOT NULL)
                + (SELECT count(*) FROM weir.runs WHERE ended IS NULL AND operation = $1 AND opened <= $2)
            """, [number, sequence]
        ) { $0.integer(0) }
        return Int(clamping: count ?? 0)
    }

    private func point(at change: Change, of stream: SequenceNumber, _ limit: Int) throws -> RunPast.Point {
        let shown = try connection.all(
            """
            SELECT sequence, revision, at, "case", phase FROM weir.changes
            WHERE stream = $1 AND transition AND sequence <= $2 ORDER BY sequence DESC LIMIT $3
            """, [stream, change.sequence, max(0, limit)]
        ) { row in
            Transition(
                caseName: row.text(3), phase: try JournalCode.phase(row.integer(4)), at: row.moment(2),
                sequence: try row.sequence(0), revision: try row.sequence(1).rawValue)
        }
        let omitted = try connection.first(
            "SELECT count(*) FROM weir.changes WHERE stream = $1 AND transition AND sequence < $2",
            [stream, shown.last?.sequence ?? .zero]
        ) { $0.integer(0) }
        return RunPast.Point(change: change, transitions: shown.reversed(), omitted: Int(clamping: omitted ?? 0))
    }

    private func neighbour(
        of sequence: SequenceNumber, in stream: SequenceNumber, _ condition: String
    ) throws -> SequenceNumber? {
        try connection.first(
            "SELECT sequence FROM weir.changes WHERE stream = $1 AND sequence \(condition) LIMIT 1", [stream, sequence]
        ) { try $0.sequence(0) }
    }
}
