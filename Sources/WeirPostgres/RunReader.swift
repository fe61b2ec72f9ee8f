import WeirJournals
import WeirStates

struct RunReader {
    private static let joins = """
        JOIN weir.changes c ON c.sequence = r.sequence JOIN weir.changes f ON f.sequence = r.opened
        JOIN weir.names o ON o.id = r.operation JOIN weir.names a ON a.id = r.actor
        """

    private let connection: PostgresConnection

    init(_ connection: PostgresConnection) { self.connection = connection }

    func run(_ id: String) throws -> RunRecord? {
        try runs(where: "r.id = $1", [AnyText(id)]).first
    }

    func run(idempotencyKey key: String, operation: String, actor: String) throws -> RunRecord? {
        guard let operation = try Names(connection).number(of: operation),
            let actor = try Names(connection).number(of: actor)
        else { return nil }
        return try runs(
            where: "r.idempotency_key = $1 AND r.operation = $2 AND r.actor = $3 AND r.epoch IS NULL",
            [AnyText(key), operation, actor], order: "ORDER BY r.opened DESC", limit: "LIMIT 1"
        ).first
    }

    func unfinished() throws -> [RunRecord] { try runs(where: "r.ended IS NULL") }

    /// The runs that satisfy an SQL condition.
    ///
    /// The subquery selects them by an index and up to the limit, before their data is looked up.
    func runs(
        from source: String = "weir.runs r", where condition: String, _ values: [any PostgresValue] = [],
        order: String = "ORDER BY r.opened", limit: String = ""
    ) throws -> [RunRecord] {
        let sql = """
            SELECT \(JournalColumns.run) FROM (SELECT r.* FROM \(source) WHERE \(condition) \(order) \(limit)) r
            \(Self.joins) \(order)
            """
        return try connection.all(sql, values) { try $0.run() }
    }
}

/// Looks up the ids of names.
struct Names {
    private let connection: PostgresConnection

    init(_ connection: PostgresConnection) { self.connection = connection }

    func number(of name: String) throws -> Int64? {
        try connection.first("SELECT id FROM weir.names WHERE sha256(name) = sha256($1)", [AnyText(name)]) {
            $0.integer(0)
        }
    }
}

struct ChangeReader {
    // A change without its run is being removed and no longer visible, hence the last condition.
    private static let query = """
        SELECT \(JournalColumns.change)
        FROM weir.changes c LEFT JOIN weir.runs r ON r.opened = c.stream LEFT JOIN weir.names o ON o.id = r.operation
            LEFT JOIN weir.names a ON a.id = r.actor LEFT JOIN weir.stores s ON s.opened = c.stream
        WHERE c.sequence > $1 AND c.sequence <= $2 AND (r.opened IS NOT NULL OR s.opened IS NOT NULL)
        """

    private let connection: PostgresConnection

    init(_ connection: PostgresConnection) { self.connection = connection }

    func changes(of topic: Topic, after: SequenceNumber, through last: SequenceNumber, limit: Int) throws -> [Change] {
        guard limit > 0, after < last else { return [] }
        return try read(topic, after, last, order: "ORDER BY c.sequence", limit)
    }

    func last(_ limit: Int, of topic: Topic, through sequence: SequenceNumber) throws -> [Change] {
        guard limit > 0 else { return [] }
        return try read(topic, .zero, sequence, order: "ORDER BY c.sequence DESC", limit).reversed()
    }

    private func read(
        _ topic: Topic, _ after: SequenceNumber, _ last: SequenceNumber, order: String, _ limit: Int
    ) throws -> [Change] {
        var values: [any PostgresValue] = [after, last, limit]
        var condition = ""
        switch topic {
        case .board: break
        case .operation(let name):
            guard let operation = try Names(connection).number(of: name) else { return [] }
            condition = "AND c.operation = $4"
            values.append(operation)
        case .run(let id):
            guard let stream = try stream(id, in: "runs") else { return [] }
            condition = "AND c.stream = $4"
            values.append(stream)
        case .store(let id):
            guard let stream = try stream(id, in: "stores") else { return [] }
            condition = "AND c.stream = $4"
            values.append(stream)
        case .output: return []
        }
        return try connection.all("\(Self.query) \(condition) \(order) LIMIT $3", values) { try $0.change() }
    }

    private func stream(_ id: String, in table: String) throws -> Int64? {
        try connection.first("SELECT opened FROM weir.\(table) WHERE id = $1", [AnyText(id)]) { $0.integer(0) }
    }
}

/// Reads past states of runs, at a cost independent of the number of changes.
struct PastReader {
    private let connection: PostgresConnection

    init(_ connection: PostgresConnection) { self.connection = connection }

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

struct OutputReader {
    private static let columns = "number, at, channel, continues, text"

    private let connection: PostgresConnection

    init(_ connection: PostgresConnection) { self.connection = connection }

    func lines(of run: String, after number: SequenceNumber, limit: Int) throws -> [OutputLine] {
        guard limit > 0 else { return [] }
        return try connection.all(
            """
            SELECT \(Self.columns) FROM weir.output
            WHERE stream = (SELECT opened FROM weir.runs WHERE id = $1) AND number > $2 ORDER BY number LIMIT $3
            """, [AnyText(run), number, limit], read: line)
    }

    func lines(of run: String, numbers: [SequenceNumber]) throws -> [OutputLine] {
        try connection.all(
            """
            SELECT \(Self.columns) FROM weir.output
            WHERE stream = (SELECT opened FROM weir.runs WHERE id = $1)
                AND number = ANY ($2)
            ORDER BY number
            """, [AnyText(run), numbers], read: line)
    }

    func line(_ number: SequenceNumber, ofStream stream: SequenceNumber) throws -> OutputLine? {
        try connection.first(
            "SELECT \(Self.columns) FROM weir.output WHERE stream = $1 AND number = $2", [stream, number], read: line)
    }

    func count(of run: String) throws -> SequenceNumber {
        try connection.first(
            "SELECT l.count FROM weir.runs r JOIN weir.lines l ON l.stream = r.opened WHERE r.id = $1", [AnyText(run)]
        ) { try $0.sequence(0) } ?? .zero
    }

    private func line(_ row: PostgresRow) throws -> OutputLine {
        OutputLine(
            number: try row.sequence(0),
            draft: OutputDraft(
                at: row.moment(1), channel: try JournalCode.channel(row.integer(2)), text: row.text(4),
                continues: row.isTrue(3)))
    }
}
