import Foundation
import GRDB

/// The contents of a journal's file in numbers, in any format, and the result of checking them.
package struct JournalInspection: Sendable, Hashable, Codable {
    package let epoch: String
    package let format: Int64
    package let head: Int64
    package let changes: Int64
    package let runs: Int64
    package let lines: Int64

    /// The newest format that this version can open.
    package static let newestFormat = Int64(clamping: JournalSchema.version)

    private static let listedFaults: Int64 = 20

    /// Counts the contents of a file that others may be writing; blocks on the disk.
    ///
    /// Throws `JournalError` if the file cannot be read or is not a journal.
    package init(path: String) throws { self = try Self.read(path) { try Self($0) } }

    /// Counts the contents of a file that others may be writing, and checks the whole file; blocks on the disk.
    ///
    /// Throws `JournalError` if the file cannot be read or is not a journal.
    package static func check(path: String) throws -> (found: JournalInspection, faults: [String]) {
        try read(path) { database in
            let integrity = try SQLStatement(database, "PRAGMA integrity_check(\(listedFaults))").all { $0.text(0) }
            // The other checks would fail on a damaged file.
            guard integrity == ["ok"] else { return (try Self(database), integrity) }
            return (try Self(database), try faults(database))
        }
    }

    /// The format of a file that others may be writing, and the newest one; blocks on the disk.
    ///
    /// Throws `JournalError` if the file cannot be read, is not a journal, or has a format of a newer version.
    package static func format(path: String) throws -> (found: Int64, newest: Int64) {
        try read(path) { (try format($0), newestFormat) }
    }

    private static func format(_ database: Database) throws -> Int64 {
        guard try database.schema(is: JournalSchema.applicationID) else {
            throw JournalError(.unavailable, "The file is not a journal.")
        }
        let format = try SQLStatement(database, "PRAGMA user_version").first { $0.integer(0) } ?? 0
        guard (1...newestFormat).contains(format) else {
            throw JournalError(.tooNew, "The journal was written by a newer Weir. Use that version.")
        }
        return format
    }

    private static func read<Result>(_ path: String, _ body: (Database) throws -> Result) throws -> Result {
        do {
            return try SQLiteSnapshot.read(path, body)
        } catch let error as DatabaseError {
            throw JournalError.of(error, at: path)
        }
    }

    private init(_ database: Database) throws {
        func number(_ query: String) throws -> Int64 {
            try SQLStatement(database, query).first { $0.integer(0) } ?? 0
        }
        format = try Self.format(database)
        epoch = try SQLStatement(database, "SELECT epoch FROM journal").first { $0.text(0) } ?? ""
        head = try number("SELECT head FROM journal")
        changes = try number("SELECT count(*) FROM changes")
        runs = try number("SELECT count(*) FROM runs")
        lines = try number("SELECT count(*) FROM output")
    }

    /// The rules that connect the tables, each as a query that counts its violations.
    private static let rules = [
        ("changes beyond the head", "SELECT count(*) FROM changes WHERE sequence > (SELECT head FROM journal)"),
        (
            "runs whose last change is missing",
            """
            SELECT count(*) FROM runs WHERE NOT EXISTS (
                SELECT 1 FROM changes WHERE changes.sequence = runs.sequence AND changes.stream = runs.opened)
            """
        ),
        (
            "runs with a gap in their changes",
            """
            SELECT count(*) FROM runs
            WHERE revision + 1 <> (SELECT count(*) FROM changes WHERE changes.stream = runs.opened)
            """
        ),
        (
            "runs with a gap in their output",
            "SELECT count(*) FROM runs WHERE lines <> (SELECT count(*) FROM output WHERE output.stream = runs.opened)"
        ),
        (
            "operations whose number of runs is wrong",
            """
            SELECT count(*) FROM (
                SELECT operation, phase, count(*) AS count FROM runs GROUP BY operation, phase
                EXCEPT SELECT operation, phase, count FROM counts)
            """
        ),
    ]

    /// The rules about deletions.
    ///
    /// Beyond the last unrecorded removal, every missing sequence is that of a deletion or of
    /// a change of a deleted run; a run that had begun before that removal explains at most all its changes.
    private static let deletionRules = [
        (
            "deleted runs that are not entirely removed",
            """
            SELECT count(*) FROM deletions d WHERE EXISTS (SELECT 1 FROM runs WHERE runs.opened = d.opened)
                OR NOT EXISTS (SELECT 1 FROM leaving WHERE leaving.stream = d.opened)
                    AND (EXISTS (SELECT 1 FROM changes WHERE changes.stream = d.opened)
                        OR EXISTS (SELECT 1 FROM output WHERE output.stream = d.opened))
            """
        ),
        (
            "deletions in the place of a change, or beyond the head",
            """
            SELECT count(*) FROM deletions d WHERE d.sequence > (SELECT head FROM journal)
                OR EXISTS (SELECT 1 FROM changes WHERE changes.sequence = d.sequence)
            """
        ),
        (
            "sequences that neither a change nor a deletion explains",
            """
            WITH pruned AS (SELECT coalesce((SELECT sequence FROM floors WHERE operation = -1), 0) AS floor),
                missing AS (
                    SELECT (SELECT head FROM journal) - floor - (
                        SELECT count(*) FROM changes
                        WHERE sequence > floor AND stream NOT IN (SELECT stream FROM leaving)) AS count FROM pruned),
                explained AS (
                    SELECT coalesce(sum((d.sequence > floor) + iif(d.opened > floor, d.changes, 0)), 0) AS least,
                        coalesce(sum((d.sequence > floor) + d.changes), 0) AS most
                    FROM pruned LEFT JOIN deletions d)
            SELECT max(0, missing.count - most, least - missing.count) FROM missing, explained
            """
        ),
    ]

    private static func faults(_ database: Database) throws -> [String] {
        let hasDeletions = try format(database) >= JournalSchema.firstWithDeletions
        return try (hasDeletions ? rules + deletionRules : rules).compactMap { name, query in
            let count = try SQLStatement(database, query).first { $0.integer(0) } ?? 0
            return count > 0 ? "\(name): \(count)" : nil
        }
    }
}
