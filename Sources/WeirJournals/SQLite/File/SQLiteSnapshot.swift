import Foundation
package import GRDB
import GRDBSQLite

package enum SQLiteSnapshot {
    /// Copies the state of a database at one moment to a new file, while other connections and processes write to it.
    ///
    /// The copy is one file without a log. Blocks on the disk. Throws `POSIXError` if the copy cannot be written, and
    /// `DatabaseError` otherwise.
    package static func copy(_ path: String, to target: String) throws {
        try reading(path) { source in
            // Created here, so that only its owner can access it.
            try OpenFile(path: target).close()
            let copy = try DatabaseQueue(path: target)
            defer { close(copy) }
            do {
                try source.backup(to: copy)
                try copy.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
            } catch let error as DatabaseError where error.resultCode == .SQLITE_FULL {
                throw POSIXError(.ENOSPC)
            } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_IOERR_WRITE {
                // The limits of a quota and of a file's size.
                throw POSIXError(
                    copy.unsafeRead { POSIXErrorCode(rawValue: sqlite3_system_errno($0.sqliteConnection)) } ?? .EIO)
            }
        }
    }

    /// The first column of the first row of each query, in one snapshot; throws `DatabaseError`.
    package static func numbers(_ path: String, _ queries: [String]) throws -> [Int64] {
        try read(path) { database in
            try queries.map { try Int64.fetchOne(database, sql: $0) ?? 0 }
        }
    }

    /// Whether SQLite finds a database in order.
    package static func isIntact(_ path: String) -> Bool {
        do {
            return try read(path) { try String.fetchOne($0, sql: "PRAGMA integrity_check(1)") } == "ok"
        } catch {
            return false
        }
    }

    /// Whether a process has the journal at a path open for writing.
    package static func isJournalInUse(_ path: String) -> Bool {
        let lock = JournalFile.resolved(path) + "-lock"
        guard FileManager.default.fileExists(atPath: lock) else { return false }
        do {
            try JournalFileLock(path: lock).release()
            return false
        } catch {
            return error.code == .locked
        }
    }

    /// Reads a database that others may be writing; throws `DatabaseError` and what the body throws.
    package static func read<Result>(_ path: String, _ body: (Database) throws -> Result) throws -> Result {
        try reading(path) { queue in try queue.read { try body($0) } }
    }

    /// Calls a body with a connection, which creates no files beside a database that no process has open.
    ///
    /// Any other connection to a database with a log creates `-wal` and `-shm`. Those of another user would keep the server
    /// from its own file. The body is called again if a process opens the database in the meantime.
    private static func reading<Result>(_ path: String, _ body: (DatabaseQueue) throws -> Result) throws -> Result {
        if let before = unopened(path) {
            let result = Swift.Result { try connected(to: "file:\(escaped(path))?immutable=1", body) }
            if unopened(path) == before { return try result.get() }
        }
        return try connected(to: path, body)
    }

    private static func connected<Result>(
        to path: String, _ body: (DatabaseQueue) throws -> Result
    ) throws -> Result {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(5)
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        defer { close(queue) }
        return try body(queue)
    }

    /// The status of a database that no process has open; nil if one may have, or if SQLite does not accept URIs.
    private static func unopened(_ path: String) -> OpenFile.Status? {
        guard sqlite3_compileoption_used("USE_URI") != 0 else { return nil }
        let companions = ["-wal", "-shm", "-journal"].map { JournalFile.resolved(path) + $0 }
        return companions.contains(where: FileManager.default.fileExists(atPath:)) ? nil : OpenFile.status(of: path)
    }

    /// A path with the characters escaped that are special in a URI.
    static func escaped(_ path: String) -> String {
        path.replacing("%", with: "%25").replacing("?", with: "%3f").replacing("#", with: "%23")
    }

    private static func close(_ queue: DatabaseQueue) {
        // A failure leaves the file open until the queue is released.
        do { try queue.close() } catch { _ = error }
    }
}
