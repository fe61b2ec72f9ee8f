import WeirJournals

/// Reads changes by topic.
struct ChangeReader {
    // A run's change whose run is gone is being removed, and no longer visible: hence the last line.
    private static let query = """
        SELECT c.sequence, c.revision, c.at, c.transition, c.cause, c.origin, r.id, o.name, r.epoch, s.id, s.subject,
            c."case", c.payload, c.phase, c.done, c.total, c.unit,
            a.name, CASE WHEN c.revision = 0 THEN r.input END, r.retry_of, r.idempotency_key, c.step,
            r.expected, r.report
        FROM weir.changes c LEFT JOIN weir.runs r ON r.opened = c.stream LEFT JOIN weir.names o ON o.id = r.operation
            LEFT JOIN weir.names a ON a.id = r.actor LEFT JOIN weir.stores s ON s.opened = c.stream
        WHERE c.sequence > $1 AND c.sequence <= $2 AND (r.opened IS NOT NULL OR s.opened IS NOT NULL)
        """

    private let connection: PostgresConnection

    init(_ connection: PostgresConnection) { self.connection = connection }

    /// The topic's changes after one sequence up to another, oldest first.
    func changes(of topic: Topic, after: SequenceNumber, through last: SequenceNumber, limit: Int) throws -> [Change] {
        guard limit > 0, after < last else { return [] }
        return try read(topic, after, last, order: "ORDER BY c.sequence", limit)
    }

    /// The topic's newest changes up to a sequence, oldest first.
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
