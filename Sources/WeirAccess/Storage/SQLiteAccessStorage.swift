import Foundation
import GRDB
import WeirJournals

/// Stores users, tokens, links and sessions in a SQLite file with permissions for its owner only.
///
/// The table `record` holds kind, id and a JSON object. Several processes can share the file, such as the server and a command
/// that adds a user; `data_version` reveals each other's changes.
package final class SQLiteAccessStorage: AccessStorage {
    /// The current file format, stored as `PRAGMA user_version`.
    static let format = 1

    private let file: SQLiteFile

    struct UnknownFormat: Error {}

    /// Opens the file, creating it if missing.
    ///
    /// The folder must exist. Blocks on file I/O.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - onRestored: Called when the file was deleted while open and has been written again.
    /// - Throws: `AccessError` with the remedy.
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

    /// The reason why the file is unusable, and the remedy.
    ///
    /// Suggests removing the file only if it is corrupt, because that deletes all users.
    static func words(about error: any Error) -> String {
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

    package func close() throws { try file.close() }

    /// Returns all records if another process has changed any.
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

    /// Writes changes; the version stays the same, because it counts changes of other connections only.
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
