import AccessSQLite
import Foundation
import Testing

@testable import Access

@Suite struct SQLiteAccessStorageTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "weir-access-\(UUID())")

    private func path() throws -> String {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder.appending(path: "access.sqlite").path
    }

    private func remove() throws { try FileManager.default.removeItem(at: folder) }

    @Test func `what was stored is there after a restart, and what was removed is not`() async throws {
        defer { #expect(throws: Never.self) { try remove() } }
        let path = try path()
        let fixture = try await DirectoryFixture(storage: try SQLiteAccessStorage(path: path))
        try await fixture.addUser("root", "admin")
        try await fixture.addUser("ana")
        try await fixture.directory.removeUser("ana", by: .system)
        let secret = try #require(try await fixture.signIn("root"))
        let again = try await DirectoryFixture(storage: try SQLiteAccessStorage(path: path))
        #expect(again.directory.users.map(\.name) == ["root"])
        #expect(again.request(session: secret).authorization?.principal.name == "root")
        #expect(again.directory.cookie == fixture.directory.cookie)
    }

    @Test func `a record that is gone is not updated`() async throws {
        defer { #expect(throws: Never.self) { try remove() } }
        let storages: [any AccessStorage] = [MemoryAccessStorage(), try SQLiteAccessStorage(path: try path())]
        for storage in storages {
            let (old, new) = (Data("{}".utf8), Data("[]".utf8))
            try await storage.write([.update(StoredRecord(kind: "session", id: "a", json: old))])
            #expect(try await storage.read().isEmpty)
            try await storage.write([.put(StoredRecord(kind: "session", id: "a", json: old))])
            try await storage.write([.update(StoredRecord(kind: "session", id: "a", json: new))])
            #expect(try await storage.read().map(\.json) == [new])
        }
    }

    @Test func `what another process changes is noticed by the next look`() async throws {
        defer { #expect(throws: Never.self) { try remove() } }
        let path = try path()
        let server = try await DirectoryFixture(storage: try SQLiteAccessStorage(path: path))
        try await server.addUser("root", "admin")
        try await server.addUser("ana")
        let secret = try #require(try await server.signIn("ana"))
        let held = try #require(server.request(session: secret).authorization)
        let command = try await DirectoryFixture(storage: try SQLiteAccessStorage(path: path))
        try await command.directory.setRoles([StoredAssignment(role: "viewer")], of: "ana", by: .system)
        await server.directory.tick()
        #expect(server.control.current(held)?.permissions.allows(.start, on: .operation("deploy")) == false)
        try await command.directory.removeUser("ana", by: .system)
        await server.directory.tick()
        #expect(server.control.current(held) == nil)
    }

    @Test func `the file and its log are for their owner only, and hold no secret`() async throws {
        defer { #expect(throws: Never.self) { try remove() } }
        let path = try path()
        let fixture = try await DirectoryFixture(storage: try SQLiteAccessStorage(path: path))
        try await fixture.addUser("root", "admin")
        let session = try #require(try await fixture.signIn("root"))
        let (token, _) = try await fixture.directory.createToken(
            "a", roles: [StoredAssignment(role: "viewer")], days: nil, by: .system)
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            let file = folder.appending(path: name)
            let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? NSNumber
            #expect((mode?.intValue ?? 0o777) & 0o077 == 0, "\(name)")
            let data = try Data(contentsOf: file)
            for secret in [session.text, token.text, "correct horse"] {
                #expect(data.range(of: Data(secret.utf8)) == nil, "\(name)")
            }
        }
    }

    @Test func `a file that is no database is an error in words`() throws {
        defer { #expect(throws: Never.self) { try remove() } }
        let path = try path()
        try Data("this is no database, and long enough to be looked at by SQLite".utf8).write(to: URL(filePath: path))
        #expect(throws: AccessError.self) { try SQLiteAccessStorage(path: path) }
    }
}
