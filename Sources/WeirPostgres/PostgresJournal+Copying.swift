package import WeirJournals

extension PostgresJournal: CopiedJournal {
    /// Rows of a table after a key.
    package func rows(
        of table: JournalTable, after key: [JournalTable.Value]?, limit: Int
    ) async throws -> [[JournalTable.Value]] {
        try await read { connection in
            var values: [any PostgresValue] = [limit]
            for (value, column) in zip(key ?? [], table.key) { values.append(CopiedRows.value(value, column.kind)) }
            return try connection.all(CopiedRows.select(table, afterKey: key != nil), values) {
                CopiedRows.row($0, table)
            }
        }
    }

    /// The last key of a table.
    package func lastKey(of table: JournalTable) async throws -> [JournalTable.Value]? {
        let keys = table.key.map { "\"\($0.name)\"" }
        let statement = """
            SELECT \(keys.joined(separator: ", ")) FROM weir.\(table.name)
            ORDER BY \(keys.map { "\($0) DESC" }.joined(separator: ", ")) LIMIT 1
            """
        return try await writer.run { connection in
            try connection.first(statement) { row in
                table.key.enumerated().map { place, column in
                    let place = Int32(clamping: place)
                    return column.kind == .integer ? .integer(row.integer(place)) : .text(row.text(place))
                }
            }
        }
    }

    /// Adds rows to a table.
    package func add(_ rows: [[JournalTable.Value]], to table: JournalTable) async throws {
        let session = try writing()
        try session.check()
        try await writer.run { connection in
            try connection.transaction {
                try connection.rows("SELECT weir.enter($1)", [session.fence]) { _ in }
                // Where the connection broke after the commit, the rows are there.
                let first = try connection.first(CopiedRows.select(table, afterKey: false), [1]) {
                    CopiedRows.row($0, table)
                }
                if first != nil, let end = rows.last, try self.contains(end, of: table, connection) { return }
                for (statement, columns) in CopiedRows.insertions(table) {
                    let values = columns.compactMap { column in
                        table.columns.firstIndex(of: column).map { CopiedRows.array(rows, $0, column.kind) }
                    }
                    try connection.rows(statement, values) { _ in }
                }
            }
        }
    }

    private func contains(
        _ row: [JournalTable.Value], of table: JournalTable, _ connection: PostgresConnection
    ) throws -> Bool {
        let condition = table.key.enumerated().map { "\"\($1.name)\" = $\($0 + 1)" }.joined(separator: " AND ")
        let values = zip(row, table.key).map { CopiedRows.value($0, $1.kind) }
        return try connection.first("SELECT true FROM weir.\(table.name) WHERE \(condition)", values) { _ in true }
            ?? false
    }

    /// Sets the sequence of the last change, and removes a note.
    package func finishCopy(head: SequenceNumber, note: String) async throws {
        let session = try writing()
        try await writer.run { connection in
            try connection.transaction {
                try connection.rows("SELECT weir.enter($1)", [session.fence]) { _ in }
                for (table, column) in [("names", "id"), ("removed_reports", "place")] {
                    try connection.rows(
                        """
                        SELECT setval(pg_get_serial_sequence('weir.\(table)', '\(column)'),
                            (SELECT coalesce(max(\(column)), 0) + 1 FROM weir.\(table)), false)
                        """
                    ) { _ in }
                }
                try connection.rows("UPDATE weir.journal SET head = $1", [head]) { _ in }
                try connection.rows("DELETE FROM weir.notes WHERE name = $1", [AnyText(note)]) { _ in }
            }
            try connection.execute("ANALYZE")
        }
        session.recorded(batch: 0, base: head, count: 0)
    }
}
