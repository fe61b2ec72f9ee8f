import Foundation
package import GRDB
import Synchronization

/// A SQLite file of the server's own, beside the journal, which only its owner can read.
///
/// A file that is removed while it is open, with its folder or without, is written again at the next use: the open file still
/// has everything. Where another file has taken its place, nothing is written, neither to it nor in vain.
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

    /// The file is not at its path any more.
    private struct Misplaced: Error {}

    private struct Connection {
        let queue: DatabaseQueue
        /// By which the file system knows the file, whatever its name; nil for one in memory.
        let number: FileNumber?
    }

    private let path: String?
    private let held: Mutex<Connection>

    /// Opens a file, making it where there is none; the folder must be there.
    ///
    /// Waits for the disk.
    ///
    /// - Parameters:
    ///   - path: The file; nil for one in memory.
    ///   - setUp: Makes the tables that are not there yet, in one transaction.
    /// - Throws: `DatabaseError`, what the file system says, and what `setUp` throws.
    package init(path: String?, setUp: (Database) throws -> Void) throws {
        self.path = path
        let connection = try Self.open(path)
        try connection.queue.write(setUp)
        held = Mutex(connection)
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
                try restore(connection)
            }
        }
        throw Replaced(path ?? "")
    }

    /// Writes a file that was removed to its place again; waits for the disk.
    private func restore(_ connection: Connection) throws {
        try held.withLock { held in
            guard let path, held.queue === connection.queue else { return }
            guard FileNumber(path) == nil else { throw Replaced(path) }
            try FileManager.default.createDirectory(
                at: URL(filePath: path).deletingLastPathComponent(), withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            // Those of the removed file, which would not fit the new one.
            for ending in ["-wal", "-shm"] where FileNumber(path + ending) != nil {
                try FileManager.default.removeItem(atPath: path + ending)
            }
            let copy = try Self.open(path)
            try held.queue.backup(to: copy.queue)
            let old = held.queue
            held = copy
            try old.close()
        }
    }

    private static func open(_ path: String?) throws -> Connection {
        guard let path else { return Connection(queue: try DatabaseQueue(), number: nil) }
        if FileNumber(path) == nil {
            _ = FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
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
