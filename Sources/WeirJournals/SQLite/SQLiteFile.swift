import Foundation
package import GRDB
import Synchronization

/// A SQLite file of the server beside the journal, accessible only by its owner.
///
/// If the file, or its folder, is removed while it is open, the next use writes it again from the open file, and
/// retries until that succeeds. If another file has replaced it, every use throws ``Replaced``.
///
/// Several processes may have the file open. A file that is removed while no process has it open is not restored.
package final class SQLiteFile: Sendable {
    /// Another file exists at the path.
    package struct Replaced: Error, Sendable, CustomStringConvertible {
        private let path: String

        fileprivate init(_ path: String) { self.path = path }

        package var description: String {
            "\(path) was replaced while the server had it open. Stop the server, put the right file there, and start it again."
        }
    }

    /// The process has reached its limit of open files.
    package struct TooManyFiles: Error, Sendable {}

    /// The file is no longer at its path.
    private struct Misplaced: Error {}

    private struct Connection {
        let queue: DatabaseQueue
        /// The file's identity in the file system; nil for a database in memory.
        let number: FileNumber?
    }

    private let path: String?
    private let onRestored: @Sendable () -> Void
    private let backUp: @Sendable (DatabaseQueue, DatabaseQueue) throws -> Void
    private let held: Mutex<Connection>

    /// Opens a file, creating it if necessary; the folder must exist.
    ///
    /// Blocks on the disk.
    ///
    /// - Parameters:
    ///   - path: The file; nil for a database in memory.
    ///   - onRestored: Called after a removed file was written again.
    ///   - backUp: Copies the contents of one database into another.
    ///   - setUp: Creates missing tables, in one transaction.
    /// - Throws: `DatabaseError`, ``TooManyFiles``, file system errors, and the errors of `setUp`.
    package init(
        path: String?, onRestored: @escaping @Sendable () -> Void = {},
        backUp: @escaping @Sendable (DatabaseQueue, DatabaseQueue) throws -> Void = { try $0.backup(to: $1) },
        setUp: (Database) throws -> Void
    ) throws {
        (self.path, self.onRestored, self.backUp) = (path, onRestored, backUp)
        do {
            let connection = try Self.connect(to: path)
            try connection.queue.write(setUp)
            held = Mutex(connection)
        } catch {
            throw Self.cause(of: error, mayOpenMore: Self.mayOpenMore)
        }
    }

    /// The reason why a file could not be opened: SQLite does not report a limit of open files.
    static func cause(of error: any Error, mayOpenMore: () -> Bool) -> any Error {
        (error is DatabaseError || error is POSIXError) && !mayOpenMore() ? TooManyFiles() : error
    }

    /// Whether the process may open the three files of a database: the file, its log and the log's index.
    private static func mayOpenMore() -> Bool {
        (0..<3).map { _ in FileHandle(forReadingAtPath: "/dev/null") }.allSatisfy { $0 != nil }
    }

    /// Closes the file; no method may be called afterwards.
    package func close() throws { try held.withLock { try $0.queue.close() } }

    /// Reads a snapshot.
    package func read<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        try await onFile { queue, check in
            try await queue.read { database in
                try check()
                return try body(database)
            }
        }
    }

    /// Runs one transaction.
    package func write<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        try await onFile { queue, check in
            try await queue.write { database in
                try check()
                return try body(database)
            }
        }
    }

    private func onFile<Value: Sendable>(
        _ body: (DatabaseQueue, @escaping @Sendable () throws -> Void) async throws -> Value
    ) async throws -> Value {
        for _ in 0..<3 {
            let connection = held.withLock { $0 }
            do {
                return try await body(connection.queue) { [path] in
                    if let path, FileNumber(path) != connection.number { throw Misplaced() }
                }
            } catch is Misplaced {
                if try restore(connection) { onRestored() }
            }
        }
        throw Replaced(path ?? "")
    }

    /// Writes a removed file to its path again; blocks on the disk.
    ///
    /// If that fails, for example because the disk is full, nothing is left at the path, and the next use retries.
    /// Returns false if a concurrent use has restored the file.
    private func restore(_ connection: Connection) throws -> Bool {
        try held.withLock { held in
            guard let path, held.queue === connection.queue else { return false }
            guard FileNumber(path) == nil else { throw Replaced(path) }
            try FileManager.default.createDirectory(
                at: URL(filePath: path).deletingLastPathComponent(), withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            // The log of the removed file does not belong to the new one.
            try Self.removeLog(of: path)
            let restored = try place(held.queue, at: path)
            let old = held.queue
            held = restored
            // The new file is complete even if closing the old one fails.
            do { try old.close() } catch { _ = error }
            return true
        }
    }

    /// Writes a database to a file and opens it.
    ///
    /// The file is moved into place when complete, so that other processes never see a part of it.
    private func place(_ queue: DatabaseQueue, at path: String) throws -> Connection {
        let copy = path + "-copy"
        // The remains of an attempt that the process did not survive.
        try Self.remove(copy)
        try Self.removeLog(of: copy)
        var number: FileNumber?
        do {
            let target = try Self.connect(to: copy)
            number = target.number
            try backUp(queue, target.queue)
            // Its log has a different name than the final file's.
            try target.queue.close()
            try FileManager.default.moveItem(atPath: copy, toPath: path)
            return try Self.connect(to: path)
        } catch {
            if FileNumber(path) == number {
                try Self.remove(path)
                try Self.removeLog(of: path)
            }
            try Self.remove(copy)
            try Self.removeLog(of: copy)
            throw error
        }
    }

    private static func remove(_ path: String) throws {
        guard FileNumber(path) != nil else { return }
        try FileManager.default.removeItem(atPath: path)
    }

    private static func removeLog(of path: String) throws {
        for ending in ["-wal", "-shm"] { try remove(path + ending) }
    }

    private static func connect(to path: String?) throws -> Connection {
        guard let path else { return Connection(queue: try DatabaseQueue(), number: nil) }
        if FileNumber(path) == nil {
            let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            guard file >= 0 || errno == EEXIST else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
            if file >= 0 { try FileHandle(fileDescriptor: file).close() }
        }
        // Includes a file that was copied here: its log inherits its permissions.
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        var configuration = Configuration()
        configuration.busyMode = .timeout(5)
        configuration.journalMode = .wal
        return Connection(
            queue: try DatabaseQueue(path: path, configuration: configuration), number: FileNumber(path))
    }
}

/// The identity of the file at a path: its device and number.
private struct FileNumber: Hashable {
    private let device: UInt64
    private let file: UInt64

    /// Nil if there is no file.
    init?(_ path: String) {
        guard let status = OpenFile.status(of: path) else { return nil }
        (device, file) = (status.device, status.number)
    }
}
