import GRDB

/// Records and reads deletions of runs; see `JournalSchema`.
struct DeletionTable {
    private let database: Database

    init(_ database: Database) { self.database = database }

    /// Hides a run and its steps, and records their deletions, within one transaction.
    func delete(_ run: String, by actor: String, at now: Timestamp) throws -> RunDeletionOutcome {
        let family = try RunFamily(of: run, member: member, steps: steps)
        if let refusal = family.refusal { return refusal }
        let head = try SQLStatement(database, "SELECT head FROM journal").first { try $0.sequence(0) }
        guard let head else { throw JournalError.damaged("the sequence of the last change") }
        guard head.distance(to: .max) >= family.members.count else { throw JournalError.noPlaceLeft }
        var names = NameTable(database)
        let insert = try SQLStatement(
            database,
            """
            INSERT INTO deletions (sequence, opened, changes, run, operation, at, actor) VALUES (?, ?, ?, ?, ?, ?, ?)
            """)
        var floors: [Int64: SequenceNumber] = [:]
        var added: [RunDeletion] = []
        for member in family.members {
            let deletion = RunDeletion(
                sequence: (added.last?.sequence ?? head).next, run: member.id, operation: member.operation, at: now,
                actor: actor)
            let operation = try names.number(of: member.operation)
            try insert.run(
                deletion.sequence, member.opened, member.changes, member.id, operation, now.milliseconds,
                try names.number(of: actor))
            for subject in [0, operation] { floors[subject] = deletion.sequence }
            added.append(deletion)
        }
        try RunRemoval(database).hide(Set(family.members.map(\.opened.rawValue)), isDeletion: true)
        try FloorTable(database).raise(floors, isDeletion: true)
        try SQLStatement(database, "UPDATE journal SET head = ?").run(added.last?.sequence ?? head)
        return .deleted(added)
    }

    func deletions(after: SequenceNumber, through last: SequenceNumber, limit: Int) throws -> [RunDeletion] {
        try SQLStatement(
            database, "\(Self.query) WHERE d.sequence > ? AND d.sequence <= ? ORDER BY d.sequence LIMIT ?"
        ).all(after, last, max(0, limit)) { try $0.deletion() }
    }

    func deletion(of run: String) throws -> RunDeletion? {
        try SQLStatement(
            database,
            """
            \(Self.query) WHERE d.run = ?1 AND NOT EXISTS (SELECT 1 FROM runs WHERE id = ?1)
            ORDER BY d.sequence DESC LIMIT 1
            """
        ).first(run) { try $0.deletion() }
    }

    private static let query = """
        SELECT \(JournalColumns.deletion)
        FROM deletions d CROSS JOIN names o ON o.id = d.operation CROSS JOIN names a ON a.id = d.actor
        """

    private func member(_ run: String) throws -> RunFamily.Member? { try members("r.id = ?", run).first }

    private func steps(of run: String) throws -> [RunFamily.Member] {
        let keys = RunOpening.stepKeys(of: run)
        // The index of keys finds all that begin so: the next character after a space is an exclamation mark.
        return try members(
            "r.idempotency_key >= ? AND r.idempotency_key < ?", keys, String(keys.dropLast()) + "!")
    }

    private func members<each Value: SQLValue>(
        _ condition: String, _ value: repeat each Value
    ) throws -> [RunFamily.Member] {
        try SQLStatement(
            database,
            """
            SELECT \(JournalColumns.familyMember(importing: "importing"))
            FROM runs r CROSS JOIN names o ON o.id = r.operation WHERE \(condition) ORDER BY r.opened
            """
        ).all(repeat each value) { try $0.familyMember() }
    }
}

extension SQLiteJournal {
    package func delete(_ runs: [String], by actor: String, at now: Timestamp) async throws -> [RunDeletionOutcome] {
        try await write { database in
            try Self.overwriting(database) {
                try runs.map { try DeletionTable(database).delete($0, by: actor, at: now) }
            }
        }
    }

    package func finishDeletion() async throws {
        try await sweep()
        var pages: Int64 = -200
        while try await write({ [pages] database in
            try Self.overwriting(database) { try RunTextIndex(database).merge(pages) }
        }) { pages = 200 }
        try await shrink()
        // The file has the overwritten pages only after a checkpoint.
        try await checkpoint()
    }

    /// Deletes the data of hidden runs, in short transactions.
    ///
    /// Overwrites it, because an interrupted deletion can have left it.
    func sweep() async throws {
        while try await write({ database in try Self.overwriting(database) { try RunRemoval(database).sweep() } }) {}
    }

    /// Overwrites what the body deletes, rather than only marking its space as free.
    private static func overwriting<Result>(_ database: Database, _ body: () throws -> Result) throws -> Result {
        // SQLite can be compiled with 1 (always) or 2 (fast) as the default.
        let before = try SQLStatement(database, "PRAGMA secure_delete").first { $0.integer(0) } ?? 0
        guard before != 1 else { return try body() }
        try SQLStatement(database, "PRAGMA secure_delete = 1").rows { _ in true }
        let result = Swift.Result { try body() }
        try SQLStatement(database, "PRAGMA secure_delete = \(before == 2 ? "fast" : "0")").rows { _ in true }
        return try result.get()
    }

    package func deletions(after: SequenceNumber, through last: SequenceNumber, limit: Int) async throws
        -> [RunDeletion]
    {
        try await read { try DeletionTable($0).deletions(after: after, through: last, limit: limit) }
    }

    package func deletion(of run: String) async throws -> RunDeletion? {
        try await read { try DeletionTable($0).deletion(of: run) }
    }

    package func pruned(of topic: Topic) async throws -> SequenceNumber {
        try await read { try FloorTable($0).pruned(of: topic) }
    }
}
