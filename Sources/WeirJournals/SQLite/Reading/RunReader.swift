import GRDB
import WeirStates

/// Reads runs: their rows in `runs`, with their last state from `changes`.
struct RunReader {
    private static let columns = """
        r.opened, r.id, o.name, a.name, r.input, r.retry_of, r.idempotency_key, r.revision, r.sequence, r.started,
        r.ended, r.epoch, f.origin, c."case", c.payload, c.phase, c.done, c.total, c.unit, c.cause,
        r.expected, c.at, r.report
        """
    private static let joins = """
        CROSS JOIN changes c ON c.sequence = r.sequence CROSS JOIN changes f ON f.sequence = r.opened
        CROSS JOIN names o ON o.id = r.operation CROSS JOIN names a ON a.id = r.actor
        """

    /// The runs whose text is not indexed: active ones, and the few that ended recently.
    ///
    /// The index is named, because SQLite would otherwise walk all runs in the requested order rather than sort these.
    static let withoutText = "runs r INDEXED BY runs_without_text"

    private let database: Database

    init(_ database: Database) { self.database = database }

    /// The run with an id.
    func run(_ id: String) throws -> RunRecord? {
        try runs(where: "r.id = ?", [id]).first
    }

    /// The newest run with a key, which belongs to one operation and one actor.
    func run(idempotencyKey key: String, operation: String, actor: String) throws -> RunRecord? {
        try runs(
            where: "r.idempotency_key = ? AND o.name = ? AND a.name = ? AND r.epoch IS NULL", [key, operation, actor],
            rest: "ORDER BY r.opened DESC LIMIT 1"
        ).first
    }

    /// The runs that have not ended, oldest first.
    func unfinished() throws -> [RunRecord] {
        try runs(from: Self.withoutText, where: "r.indexed = 0 AND r.ended IS NULL")
    }

    /// The runs that satisfy a condition of our own.
    func runs(
        from source: String = "runs r", where condition: String, _ values: [any SQLValue] = [],
        rest: String = "ORDER BY r.opened"
    ) throws -> [RunRecord] {
        // CROSS JOIN keeps the order of the tables: the runs are selected first, then their data is looked up.
        let sql = "SELECT \(Self.columns) FROM \(source) \(Self.joins) WHERE \(condition) \(rest)"
        var records: [RunRecord] = []
        try SQLStatement(database, sql).rows(binding: values) { row in
            records.append(try record(row))
            return true
        }
        return records
    }

    private func record(_ row: SQLRow) throws -> RunRecord {
        let opening = RunOpening(
            actor: row.text(3), input: try JSONValue(parsing: row.text(4)), retryOf: row.optionalText(5),
            idempotencyKey: row.optionalText(6), expected: try row.estimate(20),
            report: row.report(22))
        let origin = try row.optionalText(11).map { ChangeOrigin(epoch: $0, sequence: try row.sequence(12)) }
        return RunRecord(
            id: row.text(1), operation: row.text(2), opening: opening, state: try row.state(from: 13),
            cause: row.optionalText(19), revision: try row.revision(7), sequence: try row.sequence(8),
            openedSequence: try row.sequence(0), startedAt: Timestamp(milliseconds: row.integer(9)),
            endedAt: row.optionalInteger(10).map(Timestamp.init(milliseconds:)), origin: origin,
            changedAt: Timestamp(milliseconds: row.integer(21)))
    }
}
