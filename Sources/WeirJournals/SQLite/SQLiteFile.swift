import Foundation
package import GRDB
import Synchronization

/// A SQLite file of the server's own, beside the journal, which only its owner can read.
///
/// A file that is removed while it is open, with its folder or without, is written again at the next use: the open file still
/// has everything. That is tried until it succeeds. Where another file has taken its place, nothing is written, neither to it
/// nor in vain.
///
/// Several processes may have it open. Nothing here repairs a file that was removed while nobody had it open.
package final class SQLiteFile: Sendable {
    /// Another file has taken its place.
    package struct Replaced: Error, Sendable, CustomStringConvertible {
        private let path: String

        fileprivate init(_ path: String) { self.path = path }

        /// What is wrong and what to do.
        package var description: String {
            "\(path) was replaced while the server had it open. Stop the server, put the right file there, and start it again."
        }
    }

    /// The process has so many files open that it may not open this one.
    package struct TooManyFiles: Error, Sendable {
        package init() {}
    }

    /// The file is not at its path any more.
    private struct Misplaced: Error {}

    private struct Connection {
        let queue: DatabaseQueue
        /// By which the file system knows the file, whatever its name; nil for one in memory.
        let number: FileNumber?
    }

    private let path: String?
    private let onRestored: @Sendable () -> Void
    private let backUp: @Sendable (DatabaseQueue, DatabaseQueue) throws -> Void
    private let held: Mutex<Connection>

    /// Opens a file, making it where there is none; the folder must be there.
    ///
    /// Waits for the disk.
    ///
    /// - Parameters:
    ///   - path: The file; nil for one in memory.
    ///   - onRestored: Called when the file had been removed and was written again.
    ///   - backUp: Copies all that is in one database into another.
    ///   - setUp: Makes the tables that are not there yet, in one transaction.
    /// - Throws: `DatabaseError`, ``TooManyFiles``, what the file system says, and what `setUp` throws.
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

    /// Why a file could not be opened: SQLite does not say that there are too many.
    package static func cause(of error: any Error, mayOpenMore: () -> Bool) -> any Error {
        (error is DatabaseError || error is POSIXError) && !mayOpenMore() ? TooManyFiles() : error
    }

    /// Whether the process may open as many files as a database takes: the file, its log and the log's index.
    private static func mayOpenMore() -> Bool {
        (0..<3).map { _ in FileHandle(forReadingAtPath: "/dev/null") }.allSatisfy { $0 != nil }
    }

    /// Closes the file; nothing may be called afterwards.
    package func close() throws { try held.withLock { try $0.queue.close() } }

    /// Reads one moment of it.
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

    /// Writes a file that was removed to its place again; waits for the disk.
    ///
    /// Where that fails, for want of space, nothing is left at its place, and the next use tries again. Returns whether it
    /// was written now, and not by another use meanwhile.
    private func restore(_ connection: Connection) throws -> Bool {
        try held.withLock { held in
            guard let path, held.queue === connection.queue else { return false }
            guard FileNumber(path) == nil else { throw Replaced(path) }
            try FileManager.default.createDirectory(
                at: URL(filePath: path).deletingLastPathComponent(), withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            // The log of the removed file would not fit the new one.
            try Self.removeLog(of: path)
            let restored = try place(held.queue, at: path)
            let old = held.queue
            held = restored
            // All of it is in the new file, whether the old one can be closed or not.
            do { try old.close() } catch { _ = error }
            return true
        }
    }

    /// Writes what a database has to a file, and opens it.
    ///
    /// Whoever looks meanwhile, such as a command, finds the whole file or none.
    private func place(_ queue: DatabaseQueue, at path: String) throws -> Connection {
        let copy = path + "-copy"
        // What an attempt left that the process did not live to end.
        try Self.remove(copy)
        try Self.removeLog(of: copy)
        var number: FileNumber?
        do {
            let target = try Self.connect(to: copy)
            number = target.number
            try backUp(queue, target.queue)
            // Its log is of another name than the file will be.
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
        // Also one that was copied here: its log takes over the permissions of the file.
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        var configuration = Configuration()
        configuration.busyMode = .timeout(5)
        configuration.journalMode = .wal
        return Connection(
            queue: try DatabaseQueue(path: path, configuration: configuration), number: FileNumber(path))
    }
}

/// By which a file system knows the file at a path.
private struct FileNumber: Hashable {
    private let device: Int64
    private let file: UInt64

    /// Nil where there is no file.
    init?(_ path: String) {
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path),
            let file = attributes[.systemFileNumber] as? NSNumber, let device = attributes[.systemNumber] as? NSNumber
        else { return nil }
        (self.device, self.file) = (device.int64Value, file.uint64Value)
    }
}
