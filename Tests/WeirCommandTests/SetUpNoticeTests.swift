import Access
import Foundation
import Logging
import Testing

@testable import WeirCommand

@Suite(.timeLimit(.minutes(5))) struct SetUpNoticeTests {
    private func withNotice(_ body: (SetUpNotice, AccessDirectory, URL) async throws -> Void) async throws {
        let folder = DataFolder(FileManager.default.temporaryDirectory.appending(path: "weir-\(UUID().uuidString)"))
        try folder.make()
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder.url) } }
        var quiet = Logger(label: "test")
        quiet.logLevel = .critical
        var configuration = AccessConfiguration(.password)
        configuration.cost = try #require(ScryptCost(4, 8, 1))
        let directory = try await AccessDirectory(
            configuration, control: AccessControl(), storage: MemoryAccessStorage(), audit: try AuditLog(folder: nil))
        let notice = SetUpNotice(directory: directory, folder: folder, logger: quiet)
        try await body(notice, directory, folder.url.appending(path: "setup-code"))
    }

    @Test(.enabled(if: isatty(1) == 0, "On a terminal the code is printed."))
    func `where nobody sees a terminal, the first user's code is in a file for the owner, and good`() async throws {
        try await withNotice { notice, directory, file in
            try notice.say(url: "http://127.0.0.1:8080/")
            let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? NSNumber
            #expect(mode?.intValue == 0o600)
            let text = try String(contentsOf: file, encoding: .utf8)
            let code = try #require(text.split(separator: "\n").first)
            #expect(text == code + "\n")
            _ = try await directory.setUp(
                code: String(code), name: "ana", password: "correct horse", from: AuditOrigin(address: "192.0.2.1"))
            #expect(directory.users.map(\.name) == ["ana"])
        }
    }

    @Test func `a code of before is gone once somebody can sign in`() async throws {
        try await withNotice { notice, directory, file in
            try Data("old\n".utf8).write(to: file)
            try await directory.addUser(
                "ana", password: "correct horse", roles: [StoredAssignment(role: "admin")], by: .system)
            try notice.say(url: "http://127.0.0.1:8080/")
            #expect(!FileManager.default.fileExists(atPath: file.path))
        }
    }
}
