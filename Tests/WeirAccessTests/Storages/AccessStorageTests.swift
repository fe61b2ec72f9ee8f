import Foundation
import Testing

@testable import WeirAccess

/// What holds of every storage.
@Suite(.timeLimit(.minutes(15))) struct AccessStorageTests {
    private func record(_ id: String, _ json: String = "{}", kind: StoredKind = .session) -> StoredRecord {
        StoredRecord(kind: kind.rawValue, id: id, json: Data(json.utf8))
    }

    @Test(arguments: StorageKind.allCases)
    func `what was stored is there after a restart, and what was removed is not`(_ kind: StorageKind) async throws {
        try await kind.withStorage { open in
            let fixture = try await DirectoryFixture(storage: try await open())
            try await fixture.addUser("root", "admin")
            try await fixture.addUser("ana")
            try await fixture.directory.removeUser("ana", by: .system)
            let secret = try #require(try await fixture.signIn("root"))
            let again = try await DirectoryFixture(storage: try await open())
            #expect(again.directory.users.map(\.name) == ["root"])
            #expect(again.request(session: secret).authorization?.principal.name == "root")
            #expect(again.directory.cookie == fixture.directory.cookie)
        }
    }

    @Test(arguments: StorageKind.allCases)
    func `changes are made in their order, and a record that is gone is not updated`(_ kind: StorageKind) async throws {
        try await kind.withStorage { open in
            let storage = try await open()
            try await storage.write([.update(record("a")), .remove(record("b").key)])
            #expect(try await storage.records().isEmpty)
            try await storage.write([
                .put(record("a")), .put(record("a", "1")), .put(record("b")), .remove(record("b").key),
            ])
            #expect(try await storage.records() == [record("a", "1")])
            try await storage.write([.update(record("a", "2")), .update(record("b", "2"))])
            #expect(try await storage.records() == [record("a", "2")])
            try await storage.write([
                .remove(record("a").key), .put(record("a", "3")), .put(record("a", "4", kind: .token)),
            ])
            #expect(Set(try await storage.records()) == [record("a", "3"), record("a", "4", kind: .token)])
        }
    }

    @Test(arguments: StorageKind.allCases)
    func `texts of all kinds come back as they were`(_ kind: StorageKind) async throws {
        try await kind.withStorage { open in
            let texts = ["\0", "é 🦆 \u{1}", "a'; DROP TABLE x --", String(repeating: "long", count: 50_000)]
            let records = texts.enumerated().map { record("\($0) " + $1.prefix(40).drop { $0 == "\0" }, $1) }
            try await open().write(records.map { .put($0) })
            #expect(Set(try await open().records()) == Set(records))
        }
    }

    @Test(arguments: StorageKind.allCases)
    func `what another process has changed is news, and what oneself has is none`(_ kind: StorageKind) async throws {
        try await kind.withStorage { open in
            let (mine, other) = (try await open(), try await open())
            var version = try #require(try await mine.news(since: nil)?.version)
            version = try await mine.write([.put(record("a")), .put(record("b"))], after: version)
            #expect(try await mine.news(since: version)?.records.isEmpty ?? true)
            let seen = try #require(try await other.news(since: nil))
            #expect(seen.isWhole && seen.records.count == 2)
            _ = try await other.write([.put(record("c")), .remove(record("a").key)], after: seen.version)
            let news = try #require(try await mine.news(since: version))
            #expect(news.records.contains(record("c")))
            #expect(news.isWhole ? !news.records.contains(record("a")) : news.removed == [record("a").key])
            #expect(try await mine.news(since: news.version) == nil)
        }
    }

    @Test(arguments: StorageKind.allCases)
    func `nothing is written that was decided by what another process has changed`(_ kind: StorageKind) async throws {
        try await kind.withStorage { open in
            let (mine, other) = (try await open(), try await open())
            let version = try #require(try await mine.news(since: nil)?.version)
            try await other.write([.put(record("a"))])
            await #expect(throws: StoredConflict.self) {
                try await mine.write([.put(record("b")), .remove(record("a").key)], after: version)
            }
            #expect(try await other.records() == [record("a")])
            let news = try #require(try await mine.news(since: version))
            _ = try await mine.write([.put(record("b"))], after: news.version)
            #expect(Set(try await other.records().map(\.id)) == ["a", "b"])
        }
    }

    @Test(arguments: StorageKind.allCases)
    func `of many who write at once by the same version, one does`(_ kind: StorageKind) async throws {
        try await kind.withStorage { open in
            var all: [(any AccessStorage, Int64)] = []
            for _ in 0..<8 {
                let storage = try await open()
                all.append((storage, try #require(try await storage.news(since: nil)?.version)))
            }
            let written = await withTaskGroup(of: Bool.self) { group in
                for (number, (storage, version)) in all.enumerated() {
                    let change = StoredChange.put(record("\(number)"))
                    group.addTask {
                        do {
                            _ = try await storage.write([change], after: version)
                            return true
                        } catch { return false }
                    }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(written == 1)
            #expect(try await open().records().count == 1)
        }
    }
}
