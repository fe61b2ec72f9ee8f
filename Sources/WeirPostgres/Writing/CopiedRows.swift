import WeirJournals

/// The rows of a copy in PostgreSQL's types: whole columns as arrays.
///
/// What differs from `JournalTable` is here: the lines of runs are counted in a table of their own, and a run that has
/// ended has the sequence of its end.
enum CopiedRows {
    /// The statement that reads rows after a key, which are `$2` and what follows; without a key, all.
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

    /// The statements that add rows, each with the columns it takes.
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

    /// The values of a column, as one array.
    static func array(_ rows: [[JournalTable.Value]], _ place: Int, _ kind: JournalTable.Kind) -> any PostgresValue {
        let values = rows.map { $0[place] }
        switch kind {
        case .integer: return values.map(\.integer)
        case .flag: return values.map { $0.integer.map { $0 == 1 } }
        case .anyText: return values.map { AnyText($0.text) }
        case .text: return values.map(\.text)
        }
    }

    /// A value that is compared with a key.
    static func value(_ value: JournalTable.Value, _ kind: JournalTable.Kind) -> any PostgresValue {
        switch kind {
        case .integer: value.integer
        case .flag: value.integer.map { $0 == 1 }
        case .anyText: AnyText(value.text)
        case .text: value.text
        }
    }

    /// A row that was read.
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
