import GRDB

extension SQLiteJournal: CopiedJournal {
    /// Rows of a table after a key.
    package func rows(
        of table: JournalTable, after key: [JournalTable.Value]?, limit: Int
    ) async throws -> [[JournalTable.Value]] {
        let keys = Self.names(table.key)
        let condition = key.map { "WHERE (\(keys)) > (\($0.map { _ in "?" }.joined(separator: ", ")))" } ?? ""
        let statement =
            "SELECT \(Self.names(table.columns[...])) FROM \(table.name) \(condition) ORDER BY \(keys) LIMIT ?"
        return try await read { database in
            var rows: [[JournalTable.Value]] = []
            let values = (key ?? []).map(\.bound) + [limit]
            try SQLStatement(database, statement).rows(binding: values) { row in
                rows.append(table.columns.indices.map { Self.value(row, Int32(clamping: $0), table.columns[$0].kind) })
                return true
            }
            return rows
        }
    }

    /// The last key of a table.
    package func lastKey(of table: JournalTable) async throws -> [JournalTable.Value]? {
        let order = table.key.map { "\"\($0.name)\" DESC" }.joined(separator: ", ")
        return try await read { database in
            try SQLStatement(
                database, "SELECT \(Self.names(table.key)) FROM \(table.name) ORDER BY \(order) LIMIT 1"
            ).first { row in
                table.key.enumerated().map { Self.value(row, Int32(clamping: $0), $1.kind) }
            }
        }
    }

    /// Adds rows to a table.
    package func add(_ rows: [[JournalTable.Value]], to table: JournalTable) async throws {
        let places = table.columns.map { _ in "?" }.joined(separator: ", ")
        try await write { database in
            let insert = try SQLStatement(
                database, "INSERT INTO \(table.name) (\(Self.names(table.columns[...]))) VALUES (\(places))")
            for row in rows { try insert.rows(binding: row.map(\.bound)) { _ in false } }
        }
    }

    /// Sets the sequence of the last change, and removes a note.
    package func finishCopy(head: SequenceNumber, note: String) async throws {
        try await write { database in
            try SQLStatement(database, "UPDATE journal SET head = ?").run(head)
            try SQLStatement(database, "DELETE FROM notes WHERE name = ?").run(note)
        }
    }

    private static func names(_ columns: ArraySlice<JournalTable.Column>) -> String {
        columns.map { "\"\($0.name)\"" }.joined(separator: ", ")
    }

    private static func value(_ row: SQLRow, _ place: Int32, _ kind: JournalTable.Kind) -> JournalTable.Value {
        if row.isNull(place) { return .null }
        switch kind {
        case .integer, .flag: return .integer(row.integer(place))
        case .text, .anyText: return .text(row.text(place))
        }
    }
}

extension JournalTable.Value {
    fileprivate var bound: any SQLValue {
        switch self {
        case .null: Int64?.none
        case .integer(let number): number
        case .text(let text): text
        }
    }
}
