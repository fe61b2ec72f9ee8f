import Foundation
import Testing
import WeirJournals
@testable import WeirAccess

@Suite(.timeLimit(.minutes(15))) struct SQLiteAccessStorageTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "weir-access-\(UUID())")

    private func path() throws -> String {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder.appending(path: "access.sqlite").path
    }

    private func remove() throws { try FileManager.default.removeItem(at: folder) }

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

    @Test func `a file that is removed while it is open loses nothing, though its folder goes with it`() async throws {
        defer { #expect(throws: Never.self) { try remove() } }
        let path = try path()
        let storage = try SQLiteAccessStorage(path: path)
        let fixture = try await DirectoryFixture(storage: storage)
        try await fixture.addUser("ana", "admin")
        try remove()
        try await fixture.addUser("bob", "viewer")
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
        #expect(mode?.intValue == 0o600)
        try storage.close()
        let again = try await DirectoryFixture(storage: try SQLiteAccessStorage(path: path))
        #expect(try await again.signIn("ana") != nil)
        #expect(try await again.signIn("bob") != nil)
    }

    @Test func `a file that another takes the place of while it is open is neither written nor written over`()
        async throws
    {
        defer { #expect(throws: Never.self) { try remove() } }
        let path = try path()
        let storage = try SQLiteAccessStorage(path: path)
        let fixture = try await DirectoryFixture(storage: storage)
        try await fixture.addUser("ana", "admin")
        let other = Data("somebody else's".utf8)
        try FileManager.default.removeItem(atPath: path)
        try other.write(to: URL(filePath: path))
        await #expect(throws: AccessError.self) { try await fixture.addUser("bob", "viewer") }
        await #expect(throws: SQLiteFile.Replaced.self) { try await storage.news(since: nil) }
        #expect(try Data(contentsOf: URL(filePath: path)) == other)
    }

    @Test func `a file that is no database is an error in words`() throws {
        defer { #expect(throws: Never.self) { try remove() } }
        let path = try path()
        try Data("this is no database, and long enough to be looked at by SQLite".utf8).write(to: URL(filePath: path))
        #expect(throws: AccessError.self) { try SQLiteAccessStorage(path: path) }
    }
}
