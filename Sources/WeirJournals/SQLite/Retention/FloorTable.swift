import GRDB

/// Returns, and raises, the last sequence of a topic that retention removed.
struct FloorTable {
    private let database: Database

    init(_ database: Database) { self.database = database }

    func floor(of topic: Topic) throws -> SequenceNumber {
        switch topic {
        case .board: try floor(ofSubject: 0)
        case .operation(let name): try NameTable.number(of: name, in: database).map(floor(ofSubject:)) ?? 0
        case .run(let id): try RunReader(database).run(id) == nil ? floor(ofSubject: 0) : 0
        case .store(let id):
            try SQLStatement(database, "SELECT floor FROM stores WHERE id = ?").first(id) { try $0.sequence(0) } ?? 0
        case .output: 0
        }
    }

    /// Raises the floors of operations, and of the board as 0.
    func raise(_ floors: [Int64: SequenceNumber]) throws {
        for (operation, sequence) in floors {
            try SQLStatement(
                database,
                """
                INSERT INTO floors (operation, sequence) VALUES (?, ?)
                ON CONFLICT (operation) DO UPDATE SET sequence = max(sequence, excluded.sequence)
                """
            ).run(operation, sequence)
        }
    }

    private func floor(ofSubject number: Int64) throws -> SequenceNumber {
        try SQLStatement(database, "SELECT sequence FROM floors WHERE operation = ?").first(number) {
            try $0.sequence(0)
        }
            ?? 0
    }
}
