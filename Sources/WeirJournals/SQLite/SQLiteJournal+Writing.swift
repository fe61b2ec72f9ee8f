import GRDB

extension SQLiteJournal {
    package func append(_ drafts: [ChangeDraft]) async throws -> [Change] {
        guard !drafts.isEmpty else { return [] }
        return try await write { database in
            let writer = try ChangeWriter(database)
            let changes = try drafts.map { try writer.add($0) }
            try writer.finish()
            return changes
        }
    }

    package func appendOutput(run: String, lines: [OutputDraft], after: SequenceNumber?) async throws -> SequenceNumber
    {
        try await write { try OutputTable($0).append(lines, to: run, after: after) }
    }

    /// Removes ended runs and old changes of stores according to the policy, and returns the space to the disk.
    ///
    /// Each step is a short transaction, between which others can append. The next call completes an interrupted one, and
    /// an interrupted deletion; so it overwrites what it deletes.
    package func prune(_ policy: RetentionPolicy, now: Timestamp) async throws -> Int {
        var removed = 0
        while true {
            let hidden = try await write { try RunRemoval($0).hide(policy, now: now) }
            removed += hidden
            try await sweep()
            if hidden == 0 { break }
        }
        while try await write({ try StoreRemoval($0).sweep(policy) }) {}
        try await shrink()
        return removed
    }

    /// Returns free pages to the disk.
    func shrink() async throws {
        var shrinks = false
        while let pages = try await write({ try RunRemoval($0).shrink() }) {
            noteDatabase(pages: pages)
            shrinks = true
        }
        // The log contains the freed space until it is checkpointed.
        if shrinks { try await checkpoint() }
    }

    package func addImported(_ entries: [ImportedEntry], at now: Timestamp) async throws {
        try await write { try RunImport($0).add(entries, at: now) }
    }

    package func commitImport() async throws {
        try await write { try RunImport($0).commit() }
    }

    /// Removes every run that the open import added, in short transactions.
    package func rollBackImport() async throws -> Int {
        var removed = 0
        while case let count = try await write({ try RunImport($0).rollBackStep() }), count > 0 {
            removed += count
            try await sweep()
        }
        return removed
    }

    package func setNote(_ name: String, _ text: String?) async throws {
        try await write { database in
            guard let text else {
                return try SQLStatement(database, "DELETE FROM notes WHERE name = ?").run(name)
            }
            try SQLStatement(
                database,
                "INSERT INTO notes (name, text) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET text = excluded.text"
            ).run(name, text)
        }
    }
}

extension SQLiteJournal: CopiedJournal {
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

    package func add(_ rows: [[JournalTable.Value]], to table: JournalTable) async throws {
        let places = table.columns.map { _ in "?" }.joined(separator: ", ")
        try await write { database in
            let insert = try SQLStatement(
                database, "INSERT INTO \(table.name) (\(Self.names(table.columns[...]))) VALUES (\(places))")
            for row in rows { try insert.rows(binding: row.map(\.bound)) { _ in false } }
        }
    }

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
