/// A table that every journal in a database has, whatever the database: what a copy carries, row by row, as it is.
///
/// The columns mean what `JournalSchema` says. Words of runs are left out, because they are made of the rest.
package struct JournalTable: Sendable, Hashable {
    /// What a column holds.
    package enum Kind: Sendable, Hashable {
        /// A whole number.
        case integer
        /// Yes or no, as 1 or 0.
        case flag
        /// A text in which any character can occur.
        case anyText
        /// A text without NUL, such as JSON.
        case text
    }

    /// A column.
    package struct Column: Sendable, Hashable {
        /// Its name.
        package let name: String
        /// What it holds.
        package let kind: Kind
    }

    /// A value in a row.
    package enum Value: Sendable, Hashable {
        /// Nothing.
        case null
        /// A whole number.
        case integer(Int64)
        /// A text.
        case text(String)
    }

    /// The table's name.
    package let name: String
    /// Its columns; the first of them are the key, by which its rows are ordered.
    package let columns: [Column]
    /// How many columns are the key.
    package let keys: Int

    private init(_ name: String, keys: Int = 1, _ columns: KeyValuePairs<String, Kind>) {
        self.name = name
        self.keys = keys
        self.columns = columns.map { Column(name: $0.key, kind: $0.value) }
    }

    /// The columns of the key.
    package var key: ArraySlice<Column> { columns.prefix(keys) }

    /// All tables, in the order in which they are copied.
    package static let all = [
        JournalTable("names", ["id": .integer, "name": .anyText]),
        JournalTable(
            "changes",
            [
                "sequence": .integer, "stream": .integer, "revision": .integer, "operation": .integer, "at": .integer,
                "case": .anyText, "phase": .integer, "transition": .flag, "done": .integer, "total": .integer,
                "unit": .integer, "payload": .text, "cause": .anyText, "origin": .integer, "step": .text,
            ]),
        JournalTable(
            "runs",
            [
                "opened": .integer, "id": .anyText, "operation": .integer, "actor": .integer, "input": .text,
                "retry_of": .anyText, "idempotency_key": .anyText, "phase": .integer, "revision": .integer,
                "sequence": .integer, "started": .integer, "ended": .integer, "ages_from": .integer, "epoch": .text,
                "expected": .text, "report": .anyText, "lines": .integer,
            ]),
        JournalTable(
            "stores",
            [
                "opened": .integer, "id": .anyText, "subject": .anyText, "revision": .integer, "removed": .integer,
                "floor": .integer,
            ]),
        JournalTable("counts", keys: 2, ["operation": .integer, "phase": .integer, "count": .integer]),
        JournalTable("blocks", ["block": .integer, "earliest": .integer, "latest": .integer]),
        JournalTable("floors", ["operation": .integer, "sequence": .integer]),
        JournalTable(
            "output", keys: 2,
            [
                "stream": .integer, "number": .integer, "at": .integer, "channel": .integer, "continues": .flag,
                "text": .anyText,
            ]),
        JournalTable("notes", ["name": .anyText, "text": .anyText]),
        JournalTable(
            "producers", keys: 2,
            ["stream": .integer, "id": .anyText, "epoch": .integer, "number": .integer, "closed": .flag]),
        JournalTable("removed_reports", ["place": .integer, "id": .anyText]),
        JournalTable("leaving", ["stream": .integer]),
    ]
}

/// A journal whose tables can be copied as they are.
package protocol CopiedJournal: Journal {
    /// Rows of a table after a key, in the order of their keys, up to a limit; nil is before all.
    func rows(of table: JournalTable, after key: [JournalTable.Value]?, limit: Int) async throws
        -> [[JournalTable.Value]]
    /// The last key of a table; nil of an empty one.
    func lastKey(of table: JournalTable) async throws -> [JournalTable.Value]?
    /// Adds rows to a table, all or none.
    func add(_ rows: [[JournalTable.Value]], to table: JournalTable) async throws
    /// Sets the sequence of the last change, and removes a note, together.
    func finishCopy(head: SequenceNumber, note: String) async throws
}
