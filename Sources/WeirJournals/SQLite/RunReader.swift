import GRDB
import WeirStates

struct RunReader {
    private static let joins = """
        CROSS JOIN changes c ON c.sequence = r.sequence CROSS JOIN changes f ON f.sequence = r.opened
        CROSS JOIN names o ON o.id = r.operation CROSS JOIN names a ON a.id = r.actor
        """

    /// The source of runs whose text is not indexed: active ones, and the few that ended recently.
    ///
    /// It names the index, because SQLite would otherwise scan all runs in the requested order rather than sort
    /// these.
    static let withoutText = "runs r INDEXED BY runs_without_text"

    private let database: Database

    init(_ database: Database) { self.database = database }

    func run(_ id: String) throws -> RunRecord? {
        try runs(where: "r.id = ?", [id]).first
    }

    func run(idempotencyKey key: String, operation: String, actor: String) throws -> RunRecord? {
        try runs(
            where: "r.idempotency_key = ? AND o.name = ? AND a.name = ? AND r.epoch IS NULL", [key, operation, actor],
            rest: "ORDER BY r.opened DESC LIMIT 1"
        ).first
    }

    func unfinished() throws -> [RunRecord] {
        try runs(from: Self.withoutText, where: "r.indexed = 0 AND r.ended IS NULL")
    }

    /// The runs that satisfy an SQL condition.
    func runs(
        from source: String = "runs r", where condition: String, _ values: [any SQLValue] = [],
        rest: String = "ORDER BY r.opened"
    ) throws -> [RunRecord] {
        // CROSS JOIN fixes the join order: the runs are selected first, then their data is looked up.
        let sql = "SELECT \(JournalColumns.run) FROM \(source) \(Self.joins) WHERE \(condition) \(rest)"
        var records: [RunRecord] = []
        try SQLStatement(database, sql).rows(binding: values) { row in
            records.append(try row.run())
            return true
        }
        return records
    }
}

struct ChangeReader {
    // A change without its run is being removed and no longer visible, hence the last condition.
    private static let query = """
        SELECT \(JournalColumns.change)
        FROM changes c LEFT JOIN runs r ON r.opened = c.stream LEFT JOIN names o ON o.id = r.operation
            LEFT JOIN names a ON a.id = r.actor LEFT JOIN stores s ON s.opened = c.stream
        WHERE c.sequence > ? AND c.sequence <= ? AND (r.opened IS NOT NULL OR s.opened IS NOT NULL)
        """

    private let database: Database

    init(_ database: Database) { self.database = database }

    func changes(of topic: Topic, after: SequenceNumber, through last: SequenceNumber, limit: Int) throws -> [Change] {
        guard limit > 0, after < last else { return [] }
        return try read(topic, after, last, rest: "ORDER BY c.sequence LIMIT ?", limit)
    }

    func last(_ limit: Int, of topic: Topic, through sequence: SequenceNumber) throws -> [Change] {
        guard limit > 0 else { return [] }
        return try read(topic, 0, sequence, rest: "ORDER BY c.sequence DESC LIMIT ?", limit).reversed()
    }

    private func read(
        _ topic: Topic, _ after: SequenceNumber, _ last: SequenceNumber, rest: String, _ limit: Int
    ) throws -> [Change] {
        var values: [any SQLValue] = [after, last]
        var condition = ""
        switch topic {
        case .board: break
        case .operation(let name):
            guard let operation = try NameTable.number(of: name, in: database) else { return [] }
            condition = "AND c.operation = ?"
            values.append(operation)
        case .run(let id):
            condition = "AND c.stream = (SELECT opened FROM runs WHERE id = ?)"
            values.append(id)
        case .store(let id):
            condition = "AND c.stream = (SELECT opened FROM stores WHERE id = ?)"
            values.append(id)
        case .output: return []
        }
        values.append(limit)
        var changes: [Change] = []
        try SQLStatement(database, "\(Self.query) \(condition) \(rest)").rows(binding: values) { row in
            changes.append(try row.change())
            return true
        }
        return changes
    }
}

/// Reads past states of runs, at a cost independent of the number of changes.
struct PastReader {
    private let database: Database

    init(_ database: Database) { self.database = database }

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

    func activeRuns(of operation: String, at sequence: SequenceNumber) throws -> Int {
        guard let number = try NameTable.number(of: operation, in: database) else { return 0 }
        // Runs that ended later use the index of ends; active ones the index of runs without text.
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
