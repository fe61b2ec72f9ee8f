package import WeirJournals

extension PostgresJournal: CopiedJournal {
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

    package func add(_ rows: [[JournalTable.Value]], to table: JournalTable) async throws {
        let session = try writing()
        try session.check()
        try await writer.run { connection in
            try connection.transaction {
                try connection.rows("SELECT weir.enter($1)", [session.fence]) { _ in }
                // If the connection broke after the commit, the rows are already present.
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

/// The rows of a copy in PostgreSQL's types, with whole columns as arrays.
///
/// It handles the differences from `JournalTable`: lines are counted in a separate table, and ended runs have the
/// sequence of their end.
enum CopiedRows {
    /// The statement that reads rows after a key, whose values begin with `$2`; without a key, all rows.
    static func select(_ table: JournalTable, afterKey: Bool) -> String {
        let columns = table.columns.map { column in
            isLines(column, table)
                ? "coalesce((SELECT l.count FROM weir.lines l WHERE l.stream = t.opened), 0)" : name(column)
        }
        let keys = table.key.map(name).joined(separator: ", ")
        let values = (0..<table.keys).map { "$\($0 + 2)" }.joined(separator: ", ")
        let condition = afterKey ? "WHERE (\(keys)) > (\(values))" : ""
        return
            "SELECT \(columns.joined(separator: ", ")) FROM weir.\(table.name) t \(condition) ORDER BY \(keys) LIMIT $1"
    }

    /// The statements that insert rows, each with the columns it takes.
    static func insertions(_ table: JournalTable) -> [(statement: String, columns: [JournalTable.Column])] {
        let columns = table.columns.filter { !isLines($0, table) }
        let isGiven = ["names", "removed_reports"].contains(table.name)
        let ended =
            table.name == "runs"
            ? (", ended_sequence", ", CASE WHEN t.ended IS NOT NULL THEN t.sequence END") : ("", "")
        let all = """
            INSERT INTO weir.\(table.name) (\(columns.map(name).joined(separator: ", "))\(ended.0))
            \(isGiven ? "OVERRIDING SYSTEM VALUE" : "") SELECT t.*\(ended.1)
            FROM unnest(\(places(columns.count))) AS t(\(columns.map(name).joined(separator: ", ")))
            """
        guard table.name == "runs" else { return [(all, columns)] }
        let lines = table.columns.filter { ["opened", "lines"].contains($0.name) }
        return [
            (all, columns),
            ("INSERT INTO weir.lines (stream, count) SELECT * FROM unnest($1, $2) AS t(s, c) WHERE t.c > 0", lines),
        ]
    }

    static func array(_ rows: [[JournalTable.Value]], _ place: Int, _ kind: JournalTable.Kind) -> any PostgresValue {
        let values = rows.map { $0[place] }
        switch kind {
        case .integer: return values.map(\.integer)
        case .flag: return values.map { $0.integer.map { $0 == 1 } }
        case .anyText: return values.map { AnyText($0.text) }
        case .text: return values.map(\.text)
        }
    }

    static func value(_ value: JournalTable.Value, _ kind: JournalTable.Kind) -> any PostgresValue {
        switch kind {
        case .integer: value.integer
        case .flag: value.integer.map { $0 == 1 }
        case .anyText: AnyText(value.text)
        case .text: value.text
        }
    }

    static func row(_ row: PostgresRow, _ table: JournalTable) -> [JournalTable.Value] {
        table.columns.indices.map { index in
            let place = Int32(clamping: index)
            if row.isNull(place) { return .null }
            switch table.columns[index].kind {
            case .integer, .flag: return .integer(row.integer(place))
            case .anyText, .text: return .text(row.text(place))
            }
        }
    }

    private static func isLines(_ column: JournalTable.Column, _ table: JournalTable) -> Bool {
        table.name == "runs" && column.name == "lines"
    }

    private static func name(_ column: JournalTable.Column) -> String { "\"\(column.name)\"" }

    private static func places(_ count: Int) -> String {
        (1...max(1, count)).map { "$\($0)" }.joined(separator: ", ")
    }
}

extension JournalTable.Value {
    fileprivate var integer: Int64? { if case .integer(let number) = self { number } else { nil } }

    fileprivate var text: String? { if case .text(let text) = self { text } else { nil } }
}
