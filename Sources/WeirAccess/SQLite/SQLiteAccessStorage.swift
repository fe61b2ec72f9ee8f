import Foundation
import GRDB
import WeirJournals

/// Users, tokens, links and sessions in a SQLite file of their own, which only its owner can read.
///
/// One table, `record`: kind, id and a JSON object. Several processes may have it open: the server, and a command that adds a
/// user meanwhile; each notices the other's changes by SQLite's `data_version`.
package final class SQLiteAccessStorage: AccessStorage {
    /// The format that this version writes, as `PRAGMA user_version`.
    private static let format = 1

    private let file: SQLiteFile

    /// The file has a format that this version does not know.
    package struct UnknownFormat: Error {
        package init() {}
    }

    /// Opens the file, making it where there is none; the folder must be there.
    ///
    /// Waits for the disk.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - onRestored: Called when somebody had removed the file while it was open, and it was written again.
    /// - Throws: `AccessError` with what to do.
    package init(path: String, onRestored: @escaping @Sendable () -> Void = {}) throws(AccessError) {
        do {
            file = try SQLiteFile(path: path, onRestored: onRestored) { database in
                let format = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
                guard format <= Self.format else { throw UnknownFormat() }
                try database.execute(
                    sql: """
                        CREATE TABLE IF NOT EXISTS record (
                            kind TEXT NOT NULL, id TEXT NOT NULL, json BLOB NOT NULL, PRIMARY KEY (kind, id)
                        ) WITHOUT ROWID
                        """)
                try database.execute(sql: "PRAGMA user_version = \(Self.format)")
            }
        } catch {
            throw AccessError(
                .unavailable,
                "The file of users and tokens, access.sqlite in the data folder, \(Self.words(about: error))")
        }
    }

    /// Why the file cannot be used, and what to do.
    ///
    /// Only of a file that is damaged does it say to remove it: whoever removes a good one has no users any more.
    package static func words(about error: any Error) -> String {
        switch error {
        case is UnknownFormat: "cannot be used: it is another's, or a newer Weir's."
        case is SQLiteFile.TooManyFiles:
            "cannot be opened, as this process has too many files open. Raise `ulimit -n`, and start again."
        case let error as DatabaseError where [.SQLITE_NOTADB, .SQLITE_CORRUPT].contains(error.resultCode):
            "is damaged. Put a copy of it in its place, or remove it and set the server up again."
        case let error as DatabaseError where error.resultCode == .SQLITE_FULL: "cannot be written: the disk is full."
        default:
            "cannot be opened or written. Check the owner and the permissions of the folder and of its files, and that the disk "
                + "has room."
        }
    }

    /// Closes the file.
    package func close() throws { try file.close() }

    /// Everything, if another process has changed anything.
    package func news(since version: Int64?) async throws -> StoredNews? {
        try await file.read { database in
            let current = try Self.version(database)
            guard current != version else { return nil }
            let records = try Row.fetchAll(database, sql: "SELECT kind, id, json FROM record").map { row in
                StoredRecord(kind: row["kind"], id: row["id"], json: row["json"])
            }
            return StoredNews(version: current, isWhole: true, records: records)
        }
    }

    /// Writes; the version stays, as it counts what other processes change.
    package func write(_ changes: [StoredChange], after version: Int64) async throws -> Int64 {
        try await file.write { database in
            guard try Self.version(database) == version else { throw StoredConflict() }
            for change in changes {
                switch change {
                case .put(let record):
                    try database.execute(
                        sql: "INSERT OR REPLACE INTO record (kind, id, json) VALUES (?, ?, ?)",
                        arguments: [record.kind, record.id, record.json])
                case .update(let record):
                    try database.execute(
                        sql: "UPDATE record SET json = ? WHERE kind = ? AND id = ?",
                        arguments: [record.json, record.kind, record.id])
                case .remove(let key):
                    try database.execute(
                        sql: "DELETE FROM record WHERE kind = ? AND id = ?", arguments: [key.kind, key.id])
                }
            }
            return version
        }
    }

    private static func version(_ database: Database) throws -> Int64 {
        try Int64.fetchOne(database, sql: "PRAGMA data_version") ?? 0
    }
}
