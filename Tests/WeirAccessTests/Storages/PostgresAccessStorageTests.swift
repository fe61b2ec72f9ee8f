import Foundation
import Testing
import TestSupport
import WeirPostgres

@testable import WeirAccess

/// What is particular to the storage in PostgreSQL.
@Suite(.timeLimit(.minutes(15))) struct PostgresAccessStorageTests {
    private func record(_ id: String, _ json: String = "{}") -> StoredRecord {
        StoredRecord(kind: "session", id: id, json: Data(json.utf8))
    }

    @Test func `of what others change, only that is read`() async throws {
        try await StorageKind.postgres.withStorage { open in
            let (mine, other) = (try await open(), try await open())
            try await other.write((0..<2_000).map { .put(record("\($0)")) })
            let version = try #require(try await mine.news(since: nil)?.version)
            try await other.write([.update(record("7", "1")), .remove(record("8").key)])
            let news = try #require(try await mine.news(since: version))
            #expect(!news.isWhole)
            #expect(news.records == [record("7", "1")])
            #expect(news.removed == [record("8").key])
        }
    }

    @Test func `a version of before the database was restored leads to all records`() async throws {
        try await StorageKind.postgres.withStorage { open in
            let storage = try await open()
            let version = try await storage.write([.put(record("a"))])
            let news = try #require(try await storage.news(since: version + 5))
            #expect(news.isWhole && news.records == [record("a")])
        }
    }

    // K3
    @Test func `while the database is killed and started, each change is made once or reported`() async throws {
        let server = try PostgresServer(arguments: "-c fsync=off")
        let url = try server.database()
        let storage = try await PostgresAccessStorage.open(url)
        let fixture = try await DirectoryFixture(storage: storage)
        try await fixture.addUser("root", "admin")
        let session = try #require(try await fixture.signIn("root"))
        async let outage: Void = {
            for _ in 0..<3 {
                try server.kill()
                try server.start()
            }
        }()
        var made: Set<String> = []
        for number in 0..<60 {
            do {
                let record = try await fixture.directory.createToken(
                    "t\(number)", roles: [StoredAssignment(role: "viewer")], days: nil, by: .system
                ).record
                made.insert(record.id)
            } catch let error as AccessError {
                #expect(error == .storage)
            }
            #expect(fixture.request(session: session).authorization?.isAnonymous == false)
        }
        try await outage
        let again = try await PostgresAccessStorage.open(url)
        let directory = try await DirectoryFixture(storage: again).directory
        #expect(made.isSubset(of: directory.tokens().map(\.id)))
        #expect(Set(directory.tokens().map(\.name)).count == directory.tokens().count)
        for storage in [storage, again] { await storage.close() }
    }

    @Test func `a database that is not there is an error in words, without the password`() async throws {
        let url = "postgres://weir:hunter2@127.0.0.1:1/weir"
        let error = await #expect(throws: AccessError.self) { try await PostgresAccessStorage.open(url) }
        #expect(error?.description.contains("Check that it is running") == true)
        #expect(error?.description.contains("hunter2") == false)
    }
}
