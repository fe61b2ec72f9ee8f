import GRDB

extension SQLiteJournal {
    /// Adds the drafts in their order, all or none.
    package func append(_ drafts: [ChangeDraft]) async throws -> [Change] {
        guard !drafts.isEmpty else { return [] }
        return try await write { database in
            let writer = try ChangeWriter(database)
            let changes = try drafts.map { try writer.add($0) }
            try writer.finish()
            return changes
        }
    }

    /// Adds lines to the output of a run.
    package func appendOutput(run: String, lines: [OutputDraft]) async throws -> SequenceNumber {
        try await write { try OutputTable($0).append(lines, to: run) }
    }

    /// Removes whole ended runs and old changes of stores according to the policy, and returns the space to the disk.
    ///
    /// Each step is a short transaction; others append between them. The next call finishes a step that was
    /// interrupted.
    package func prune(_ policy: RetentionPolicy, now: Timestamp) async throws -> Int {
        var removed = 0
        while true {
            let hidden = try await write { try RunRemoval($0).hide(policy, now: now) }
            removed += hidden
            while try await write({ try RunRemoval($0).sweep() }) {}
            if hidden == 0 { break }
        }
        while try await write({ try StoreRemoval($0).sweep(policy) }) {}
        var shrinks = false
        while let pages = try await write({ try RunRemoval($0).shrink() }) {
            noteDatabase(pages: pages)
            shrinks = true
        }
        // The log beside the file contains the freed space until it is copied over.
        if shrinks { try await checkpoint() }
        return removed
    }

    /// Adds entries of an import in their order, all or none, in one transaction.
    package func addImported(_ entries: [ImportedEntry], at now: Timestamp) async throws {
        try await write { try RunImport($0).add(entries, at: now) }
    }

    /// Ends the open import: everything it added stays.
    package func commitImport() async throws {
        try await write { try RunImport($0).commit() }
    }

    /// Removes every run that the open import added, in short transactions.
    package func rollBackImport() async throws -> Int {
        var removed = 0
        while case let count = try await write({ try RunImport($0).rollBackStep() }), count > 0 {
            removed += count
            while try await write({ try RunRemoval($0).sweep() }) {}
        }
        return removed
    }

    /// Stores a text under a name, replacing the previous one; nil removes it.
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
