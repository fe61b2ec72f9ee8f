import Foundation
package import GRDB

package enum SQLiteSnapshot {
    /// Copies the state of a database at one moment to a new file, while other connections and processes write to it.
    ///
    /// The copy is one file without a log. Blocks on the disk. Throws `DatabaseError` or `POSIXError`.
    package static func copy(_ path: String, to target: String) throws {
        let source = try open(path)
        defer { close(source) }
        // Created here, so that only its owner can access it.
        try OpenFile(path: target).close()
        let copy = try DatabaseQueue(path: target)
        defer { close(copy) }
        try source.backup(to: copy)
        try copy.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
    }

    /// The first column of the first row of each query, in one snapshot; throws `DatabaseError`.
    package static func numbers(_ path: String, _ queries: [String]) throws -> [Int64] {
        let queue = try open(path)
        defer { close(queue) }
        return try queue.read { database in
            try queries.map { try Int64.fetchOne(database, sql: $0) ?? 0 }
        }
    }

    /// Whether SQLite finds a database in order.
    package static func isIntact(_ path: String) -> Bool {
        do {
            let queue = try open(path)
            defer { close(queue) }
            return try queue.read { try String.fetchOne($0, sql: "PRAGMA integrity_check(1)") } == "ok"
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
        let queue = try open(path)
        defer { close(queue) }
        return try queue.read { try body($0) }
    }

    static func open(_ path: String) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(5)
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    static func close(_ queue: DatabaseQueue) {
        // A failure leaves the file open until the queue is released.
        do { try queue.close() } catch { _ = error }
    }
}
