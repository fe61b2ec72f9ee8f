import Foundation
import Logging
import Testing
import TestSupport

@testable import WeirAccess

/// What the audit and the storage show of each other when one of them was removed while no server ran.
@Suite(.timeLimit(.minutes(15))) struct AuditCheckingTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "weir-audit-\(UUID())")
    private let clock = StoppedClock()

    private func remove() throws { try FileManager.default.removeItem(at: folder) }

    /// A server's life with an audit in the folder: what it logs, and what the audit has at its end.
    private func serve(
        _ storage: any AccessStorage, _ body: (AccessDirectory) async throws -> Void = { _ in }
    ) async throws -> (log: [String], entries: [AuditEntry]) {
        let (log, clock) = (CapturedLog(level: .error), clock)
        var configuration = AccessConfiguration(.password)
        configuration.cost = ScryptCost(logRounds: 4, blockSize: 8, parallelism: 1)
        let audit = try AuditLog(folder: folder, now: { clock.now }, logger: log.logger)
        let directory = try await AccessDirectory(
            configuration, control: AccessControl(), storage: storage, audit: audit, keepsAuditHead: true,
            now: { clock.now }, logger: log.logger)
        try await body(directory)
        await audit.flush()
        await directory.tick()
        return (log.messages(), try await audit.page().records.map(\.entry))
    }

    private func work(_ directory: AccessDirectory) async throws {
        try await directory.addUser(
            "ana", password: "correct horse", roles: [StoredAssignment(role: "admin")], by: .system)
        _ = try await directory.signIn("ana", "correct horse", from: .none)
        await directory.audit.flush()
    }

    private func file() throws -> URL {
        folder.appending(path: try #require(try AuditFolder(folder).days().last) + AuditFolder.suffix)
    }

    // MARK: The end of the audit

    @Test func `an audit that goes on says nothing, whatever became of the process or of old days`() async throws {
        defer { #expect(throws: Never.self) { try remove() } }
        let storage = MemoryAccessStorage()
        #expect(try await serve(storage, work).log.isEmpty)
        // More than the storage knows of, as after a kill.
        let audit = try AuditLog(folder: folder)
        audit.record(.start, by: .system)
        await audit.flush()
        for _ in 0..<2 { #expect(try await serve(storage).log.isEmpty) }
        clock.advance(86_400_000)
        let head = AuditChain(head: try AuditVerification(folder: folder).head)
        #expect(try await serve(storage).log.isEmpty)
        _ = try AuditFolder(folder).remove(before: AuditFolder.day(of: clock.now))
        #expect(try AuditFolder(folder).passes(through: try #require(head)))
    }

    @Test(arguments: ["emptied", "removed", "cut", "folder", "another"])
    func `an audit whose end is missing at the next start is an error in the log, once, and in the audit`(harm: String)
        async throws
    {
        defer { #expect(throws: Never.self) { try remove() } }
        let storage = MemoryAccessStorage()
        _ = try await serve(storage, work)
        let file = try file()
        switch harm {
        case "emptied": try Data().write(to: file)
        case "removed": try FileManager.default.removeItem(at: file)
        case "cut":
            let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            try Data((lines[0] + "\n").utf8).write(to: file)
        case "folder": try remove()
        default:
            try remove()
            let audit = try AuditLog(folder: folder)
            for _ in 0..<20 { audit.record(.start, by: .system) }
            await audit.flush()
        }
        let (log, entries) = try await serve(storage)
        #expect(log.count == 1 && log.first?.hasPrefix("Entries of the audit are missing") == true)
        #expect(entries.first { $0.action == .lose }?.outcome == .failed)
        #expect(try await serve(storage).log.isEmpty)
    }

    @Test func `what the audit has come to is not copied to where there is another audit`() async throws {
        defer { #expect(throws: Never.self) { try remove() } }
        let (source, target) = (MemoryAccessStorage(), MemoryAccessStorage())
        _ = try await serve(source, work)
        #expect(try await source.news(since: nil)?.records.contains { $0.id == "audit-head" } == true)
        #expect(try await AccessTransfer(from: source, into: target).copy() == .copied(users: 1, tokens: 0))
        #expect(try await target.news(since: nil)?.records.contains { $0.id == "audit-head" } == false)
    }

    // MARK: Users

    @Test func `the audit knows a user that there should be until somebody removes the last one`() async throws {
        defer { #expect(throws: Never.self) { try remove() } }
        let clock = clock
        let audit = try AuditLog(folder: folder, now: { clock.now })
        func user() async throws -> String? { try await audit.userThatShouldBe() }
        let ana = Principal(.person, name: "ana")
        audit.record(.addUser, by: .system, subject: "user:bob", outcome: .failed)
        audit.record(.signIn, by: .anonymous, subject: "user:bob", outcome: .refused)
        audit.record(.signIn, by: Principal(.person, name: "eve", identity: "https://id.example#17"))
        #expect(try await user() == nil)
        for action in [AuditAction.addUser, .changeRoles, .changePassword] {
            audit.record(action, by: ana, subject: "user:bob")
            #expect(try await user() == "bob")
            audit.record(.removeUser, by: ana, subject: "user:bob")
            #expect(try await user() == nil)
        }
        for action in [AuditAction.signIn, .setUp] {
            audit.record(action, by: ana)
            audit.record(.removeUser, by: .system, subject: "user:bob")
            #expect(try await user() == "ana")
            audit.record(.removeUser, by: .system, subject: "user:ana")
            #expect(try await user() == nil)
        }
    }

    @Test func `users who are all gone while the server runs are an error in the log, once`() async throws {
        defer { #expect(throws: Never.self) { try remove() } }
        let storage = MemoryAccessStorage()
        let (log, _) = try await serve(storage) { directory in
            try await work(directory)
            let users = try await storage.news(since: nil)?.records.filter { $0.kind == StoredKind.user.rawValue }
            _ = try await storage.write((users ?? []).map { .remove($0.key) }, after: storage.version)
            for _ in 0..<3 { await directory.tick() }
        }
        #expect(log.count == 1 && log.first?.hasPrefix("There are no users any more.") == true)
    }
}
