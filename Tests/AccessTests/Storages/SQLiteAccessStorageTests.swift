import AccessSQLite
import Foundation
import Testing

@testable import Access

@Suite(.timeLimit(.minutes(5))) struct SQLiteAccessStorageTests {
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

    @Test func `a file that is no database is an error in words`() throws {
        defer { #expect(throws: Never.self) { try remove() } }
        let path = try path()
        try Data("this is no database, and long enough to be looked at by SQLite".utf8).write(to: URL(filePath: path))
        #expect(throws: AccessError.self) { try SQLiteAccessStorage(path: path) }
    }
}
