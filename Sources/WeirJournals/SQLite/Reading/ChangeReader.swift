import GRDB

/// Reads changes by topic.
struct ChangeReader {
    // A run's change whose run is gone is being removed, and no longer visible: hence the last line.
    private static let query = """
        SELECT c.sequence, c.revision, c.at, c.transition, c.cause, c.origin, r.id, o.name, r.epoch, s.id, s.subject,
            c."case", c.payload, c.phase, c.done, c.total, c.unit,
            a.name, CASE WHEN c.revision = 0 THEN r.input END, r.retry_of, r.idempotency_key, c.step,
            r.expected, r.report
        FROM changes c LEFT JOIN runs r ON r.opened = c.stream LEFT JOIN names o ON o.id = r.operation
            LEFT JOIN names a ON a.id = r.actor LEFT JOIN stores s ON s.opened = c.stream
        WHERE c.sequence > ? AND c.sequence <= ? AND (r.opened IS NOT NULL OR s.opened IS NOT NULL)
        """

    private let database: Database

    init(_ database: Database) { self.database = database }

    /// The topic's changes after one sequence up to another, oldest first.
    func changes(of topic: Topic, after: SequenceNumber, through last: SequenceNumber, limit: Int) throws -> [Change] {
        guard limit > 0, after < last else { return [] }
        return try read(topic, after, last, rest: "ORDER BY c.sequence LIMIT ?", limit)
    }

    /// The topic's newest changes up to a sequence, oldest first.
    func last(_ limit: Int, of topic: Topic, through sequence: SequenceNumber) throws -> [Change] {
        guard limit > 0 else { return [] }
        return try read(topic, 0, sequence, rest: "ORDER BY c.sequence DESC LIMIT ?", limit).reversed()
    }

    /// The change of a run with that revision.
    func change(ofRun id: String, revision: Int64) throws -> Change? {
        var found: Change?
        try SQLStatement(
            database,
            "\(Self.query) AND c.stream = (SELECT opened FROM runs WHERE id = ?) AND c.revision = ?"
        ).rows(SequenceNumber.zero, SequenceNumber.max, id, revision) { row in
            found = try row.change()
            return false
        }
        return found
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
