import Foundation
import Testing
import TestSupport
import WeirPostgres
@testable import WeirAccess

/// The storages the conformance suite runs over.
enum StorageKind: String, CaseIterable, CustomTestStringConvertible {
    case memory, sqlite, postgres

    var testDescription: String { rawValue }

    /// Gives `body` what opens one storage, as often as it likes, as other processes do; cleans up after it.
    func withStorage(_ body: (_ open: () async throws -> any AccessStorage) async throws -> Void) async throws {
        switch self {
        case .memory:
            let storage = MemoryAccessStorage()
            try await body { storage }
        case .sqlite:
            let folder = FileManager.default.temporaryDirectory.appending(path: "weir-access-\(UUID())")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
            try await body { try SQLiteAccessStorage(path: folder.appending(path: "access.sqlite").path) }
        case .postgres:
            let url = try PostgresServer.shared.get().database()
            var opened: [PostgresAccessStorage] = []
            let result: Result<Void, any Error>
            do {
                try await body {
                    let storage = try await PostgresAccessStorage.open(url)
                    opened.append(storage)
                    return storage
                }
                result = .success(())
            } catch {
                result = .failure(error)
            }
            for storage in opened { await storage.close() }
            try result.get()
        }
    }
}

extension AccessStorage {
    /// All records.
    func records() async throws -> [StoredRecord] { try await news(since: nil)?.records ?? [] }

    /// Writes by what is there.
    @discardableResult func write(_ changes: [StoredChange]) async throws -> Int64 {
        try await write(changes, after: try await news(since: nil)?.version ?? 0)
    }
}
