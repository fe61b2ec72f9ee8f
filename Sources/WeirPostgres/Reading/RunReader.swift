import WeirJournals
import WeirStates

/// Reads runs: their rows in `runs`, with their last state from `changes`.
struct RunReader {
    private static let columns = """
        r.opened, r.id, o.name, a.name, r.input, r.retry_of, r.idempotency_key, r.revision, r.sequence, r.started,
        r.ended, r.epoch, f.origin, c."case", c.payload, c.phase, c.done, c.total, c.unit, c.cause,
        r.expected, c.at, r.report
        """
    private static let joins = """
        JOIN weir.changes c ON c.sequence = r.sequence JOIN weir.changes f ON f.sequence = r.opened
        JOIN weir.names o ON o.id = r.operation JOIN weir.names a ON a.id = r.actor
        """

    private let connection: PostgresConnection

    init(_ connection: PostgresConnection) { self.connection = connection }

    /// The run with an id.
    func run(_ id: String) throws -> RunRecord? {
        try runs(where: "r.id = $1", [AnyText(id)]).first
    }

    /// The newest run with a key, which belongs to one operation and one actor.
    func run(idempotencyKey key: String, operation: String, actor: String) throws -> RunRecord? {
        guard let operation = try Names(connection).number(of: operation),
            let actor = try Names(connection).number(of: actor)
        else { return nil }
        return try runs(
            where: "r.idempotency_key = $1 AND r.operation = $2 AND r.actor = $3 AND r.epoch IS NULL",
            [AnyText(key), operation, actor], order: "ORDER BY r.opened DESC", limit: "LIMIT 1"
        ).first
    }

    /// The runs that have not ended, oldest first.
    func unfinished() throws -> [RunRecord] { try runs(where: "r.ended IS NULL") }

    /// The runs that satisfy a condition of our own.
    ///
    /// They are selected first, by an index and up to the limit; their data is looked up for those alone.
    func runs(
        from source: String = "weir.runs r", where condition: String, _ values: [any PostgresValue] = [],
        order: String = "ORDER BY r.opened", limit: String = ""
    ) throws -> [RunRecord] {
        let sql = """
            SELECT \(Self.columns) FROM (SELECT r.* FROM \(source) WHERE \(condition) \(order) \(limit)) r
            \(Self.joins) \(order)
            """
        return try connection.all(sql, values, read: record)
    }

    private func record(_ row: PostgresRow) throws -> RunRecord {
        let opening = RunOpening(
            actor: row.text(3), input: try JSONValue(parsing: row.text(4)), retryOf: row.optionalText(5),
            idempotencyKey: row.optionalText(6), expected: try row.estimate(20), report: row.report(22))
        let origin = try row.optionalText(11).map { ChangeOrigin(epoch: $0, sequence: try row.sequence(12)) }
        return RunRecord(
            id: row.text(1), operation: row.text(2), opening: opening, state: try row.state(from: 13),
            cause: row.optionalText(19), revision: try row.sequence(7).rawValue, sequence: try row.sequence(8),
            openedSequence: try row.sequence(0), startedAt: row.moment(9),
            endedAt: row.isNull(10) ? nil : row.moment(10), origin: origin, changedAt: row.moment(21))
    }
}

/// Looks up the numbers of names.
struct Names {
    private let connection: PostgresConnection

    init(_ connection: PostgresConnection) { self.connection = connection }

    /// The number of a name; nil if nothing has it.
    func number(of name: String) throws -> Int64? {
        try connection.first("SELECT id FROM weir.names WHERE sha256(name) = sha256($1)", [AnyText(name)]) {
            $0.integer(0)
        }
    }
}
