import Foundation
import Logging
import Testing
import TestSupport
@testable import WeirAccess

@testable import WeirCommand

@Suite(.timeLimit(.minutes(15))) struct SetUpNoticeTests {
    private func withNotice(
        audit record: (AuditLog) -> Void = { _ in }, logger: Logger? = nil,
        _ body: (SetUpNotice, AccessDirectory, URL) async throws -> Void
    ) async throws {
        let folder = DataFolder(FileManager.default.temporaryDirectory.appending(path: "weir-\(UUID().uuidString)"))
        try folder.make()
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder.url) } }
        var quiet = Logger(label: "test")
        quiet.logLevel = .critical
        var configuration = AccessConfiguration(.password)
        configuration.cost = try #require(ScryptCost(4, 8, 1))
        let audit = try AuditLog(folder: folder.url.appending(path: "audit"))
        record(audit)
        let directory = try await AccessDirectory(
            configuration, control: AccessControl(), storage: MemoryAccessStorage(), audit: audit)
        let notice = SetUpNotice(directory: directory, folder: folder, logger: logger ?? quiet)
        try await body(notice, directory, folder.url.appending(path: "setup-code"))
        // Nothing is written to the folder any more when it is removed.
        await audit.flush()
    }

    @Test(.enabled(if: isatty(1) == 0, "On a terminal the code is printed."))
    func `where nobody sees a terminal, the first user's code is in a file for the owner, and good`() async throws {
        try await withNotice { notice, directory, file in
            try await notice.say(url: "http://127.0.0.1:8080/")
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
            try await notice.say(url: "http://127.0.0.1:8080/")
            #expect(!FileManager.default.fileExists(atPath: file.path))
        }
    }

    @Test func `users that the audit knows and that are gone are an error that says how to bring them back`()
        async throws
    {
        for isKnown in [false, true] {
            let log = CapturedLog(level: .error)
            let record = { (audit: AuditLog) in
                if isKnown { audit.record(.addUser, by: .system, subject: "user:ana") }
            }
            try await withNotice(audit: record, logger: log.logger) { notice, _, _ in
                try await notice.say(url: "http://127.0.0.1:8080/")
            }
            #expect(log.lines.count == (isKnown ? 1 : 0))
            #expect(log.lines.allSatisfy { $0.contains("put a copy of access.sqlite back") })
            #expect(log.lines.allSatisfy { $0.hasSuffix("user=ana") })
        }
    }
}
