import Foundation
import GRDB
import Testing
import WeirFlows
@testable import WeirJournals
@testable import WeirAccess

/// A SQLite file that somebody removes while it is open, and that cannot be written again at once.
@Suite(.timeLimit(.minutes(15))) struct RestoredFileTests {
    /// No room on the disk, at first.
    private struct Full: Error {}

    /// How far a file is written before the disk is full.
    enum Extent: CaseIterable { case nothing, everything }

    private let folder = FileManager.default.temporaryDirectory.appending(path: "weir-restored-\(UUID())")
    private var path: String { folder.appending(path: "access.sqlite").path }

    private func withFile(
        restoring backUp: @escaping @Sendable (DatabaseQueue, DatabaseQueue) throws -> Void,
        onRestored: @escaping @Sendable () -> Void = {}, _ body: (SQLiteFile) async throws -> Void
    ) async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
        let file = try SQLiteFile(path: path, onRestored: onRestored, backUp: backUp) { database in
            try database.execute(sql: "CREATE TABLE IF NOT EXISTS name (text TEXT)")
        }
        try await add("ana", to: file)
        try await body(file)
        try file.close()
    }

    private func add(_ name: String, to file: SQLiteFile) async throws {
        try await file.write { try $0.execute(sql: "INSERT INTO name VALUES (?)", arguments: [name]) }
    }

    private func names(in file: SQLiteFile) async throws -> [String] {
        try await file.read { try String.fetchAll($0, sql: "SELECT text FROM name ORDER BY text") }
    }

    @Test(arguments: Extent.allCases)
    func `a file for which there is no room leaves nothing behind, and is written once there is`(extent: Extent)
        async throws
    {
        let isFull = Locked(true)
        let restored = Locked(0)
        let backUp: @Sendable (DatabaseQueue, DatabaseQueue) throws -> Void = { source, target in
            let isFull = isFull.withLock { $0 }
            if extent == .everything || !isFull { try source.backup(to: target) }
            if isFull { throw Full() }
        }
        try await withFile(restoring: backUp, onRestored: { restored.withLock { $0 += 1 } }) { file in
            try FileManager.default.removeItem(at: folder)
            for _ in 0..<3 { await #expect(throws: Full.self) { try await add("bob", to: file) } }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
            #expect(restored.withLock { $0 } == 0)
            isFull.withLock { $0 = false }
            try await add("bob", to: file)
            #expect(try await names(in: file) == ["ana", "bob"])
            #expect(restored.withLock { $0 } == 1)
            #expect(try !FileManager.default.contentsOfDirectory(atPath: folder.path).contains { $0.contains("copy") })
        }
    }

    @Test func `what an earlier process left of a copy keeps no file from being written again`() async throws {
        try await withFile(restoring: { try $0.backup(to: $1) }) { file in
            for ending in ["-copy", "-copy-wal", "-copy-shm"] {
                try Data("half a file".utf8).write(to: URL(filePath: path + ending))
            }
            try FileManager.default.removeItem(atPath: path)
            #expect(try await names(in: file) == ["ana"])
        }
    }

    @Test func `a file that somebody puts in its place while it is written again stays as it is`() async throws {
        let (path, other) = (path, Data("somebody else's".utf8))
        let backUp: @Sendable (DatabaseQueue, DatabaseQueue) throws -> Void = { source, target in
            try source.backup(to: target)
            try other.write(to: URL(filePath: path))
        }
        try await withFile(restoring: backUp) { file in
            try FileManager.default.removeItem(atPath: path)
            for _ in 0..<2 { await #expect(throws: (any Error).self) { try await names(in: file) } }
            #expect(try Data(contentsOf: URL(filePath: path)) == other)
        }
    }

    @Test func `only of a damaged file is it said to remove it`() {
        func words(_ error: any Error, mayOpenMore: Bool = true) -> String {
            SQLiteAccessStorage.words(about: SQLiteFile.cause(of: error) { mayOpenMore })
        }
        for error in [DatabaseError(resultCode: .SQLITE_CANTOPEN), POSIXError(.EMFILE)] as [any Error] {
            #expect(words(error, mayOpenMore: false).contains("ulimit -n"))
            #expect(words(error).contains("Check the owner"))
        }
        #expect(words(SQLiteAccessStorage.UnknownFormat(), mayOpenMore: false).contains("a newer Weir's"))
        #expect(words(DatabaseError(resultCode: .SQLITE_FULL)).contains("the disk is full"))
        for (code, isDamage) in [
            (ResultCode.SQLITE_NOTADB, true), (.SQLITE_CORRUPT, true), (.SQLITE_CANTOPEN, false),
            (.SQLITE_IOERR, false), (.SQLITE_BUSY, false), (.SQLITE_FULL, false), (.SQLITE_READONLY, false),
        ] {
            #expect(words(DatabaseError(resultCode: code)).contains("remove it") == isDamage, "\(code)")
        }
    }
}
