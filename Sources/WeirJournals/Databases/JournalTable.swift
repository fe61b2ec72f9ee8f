/// A table that every database journal has, as the unit of a copy.
///
/// `JournalSchema` documents the columns. The search words of runs are omitted, because they are derived.
package struct JournalTable: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case integer
        /// A Boolean, as 1 or 0.
        case flag
        /// A text with arbitrary characters.
        case anyText
        /// A text without NUL, such as JSON.
        case text
    }

    package struct Column: Sendable, Hashable {
        package let name: String
        package let kind: Kind
    }

    package enum Value: Sendable, Hashable {
        case null
        case integer(Int64)
        case text(String)
    }

    package let name: String
    /// The columns, beginning with the key, by which rows are ordered.
    package let columns: [Column]
    package let keys: Int

    private init(_ name: String, keys: Int = 1, _ columns: KeyValuePairs<String, Kind>, added: [String] = []) {
        self.name = name
        self.keys = keys
        self.columns =
            columns.map { Column(name: $0.key, kind: $0.value) } + added.map { Column(name: $0, kind: .integer) }
    }

    package var key: ArraySlice<Column> { columns.prefix(keys) }

    /// All tables, in copy order.
    static let all = [
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
            ], added: JournalColumns.added.map(\.name)),
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
        JournalTable(
            "deletions",
            [
                "sequence": .integer, "opened": .integer, "changes": .integer, "run": .anyText, "operation": .integer,
                "at": .integer, "actor": .integer,
            ]),
    ]
}

/// A journal whose tables can be copied row by row.
package protocol CopiedJournal: Journal {
    /// Rows of a table after a key, in key order, up to a limit; nil starts at the first row.
    func rows(of table: JournalTable, after key: [JournalTable.Value]?, limit: Int) async throws
        -> [[JournalTable.Value]]
    /// The last key of a table, or nil if it is empty.
    func lastKey(of table: JournalTable) async throws -> [JournalTable.Value]?
    /// Inserts rows into a table, all or none.
    func add(_ rows: [[JournalTable.Value]], to table: JournalTable) async throws
    /// Sets the head and removes a note, in one transaction.
    func finishCopy(head: SequenceNumber, note: String) async throws
}
