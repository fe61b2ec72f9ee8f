import Foundation
import Logging
import Synchronization
import Testing
import TestSupport

@testable import WeirAccess

/// Keeps records in memory, takes none while the disk is said to be full, and answers nothing while it is away.
private final class FullStorage: AccessStorage {
    private let base = MemoryAccessStorage()
    private let isFull = Mutex(false)
    private let isAway = Mutex(false)
    private let isWriting = Mutex<@Sendable () -> Void>({})
    private let readCount = Mutex(0)

    struct Full: Error {}

    func fill(_ isFull: Bool) { self.isFull.withLock { $0 = isFull } }
    func take(away isAway: Bool) { self.isAway.withLock { $0 = isAway } }
    func whileWriting(_ body: @escaping @Sendable () -> Void) { isWriting.withLock { $0 = body } }
    /// How often it was read.
    var reads: Int { readCount.withLock { $0 } }
    func news(since version: Int64?) async throws -> StoredNews? {
        readCount.withLock { $0 += 1 }
        guard !isAway.withLock({ $0 }) else { throw Full() }
        return try await base.news(since: version)
    }
    func write(_ changes: [StoredChange], after version: Int64) async throws -> Int64 {
        isWriting.withLock({ $0 })()
        guard !isFull.withLock({ $0 }), !isAway.withLock({ $0 }) else { throw Full() }
        return try await base.write(changes, after: version)
    }
}

/// What cannot be stored is not done, and whoever asked for it is told: nothing comes back to life at a restart.
@Suite(.timeLimit(.minutes(15))) struct FailingStorageTests {
    @Test func `what cannot be revoked stays in force, is reported, and can be revoked later`() async throws {
        let storage = FullStorage()
        let fixture = try await DirectoryFixture(storage: storage)
        try await fixture.addUser("root", "admin")
        try await fixture.addUser("ana")
        let directory = fixture.directory
        let maker = try #require(directory.users.first { $0.name == "ana" }).principal
        let (token, record) = try await directory.createToken(
            "ci", roles: [StoredAssignment(role: "viewer")], days: nil, by: maker)
        let (link, made) = try await directory.createLink(to: "r1", of: "deploy", hours: 1, by: maker)
        let session = try #require(try await fixture.signIn("ana"))
        func isInForce() -> [Bool] {
            [
                fixture.request(["authorization": ["Bearer \(token.text)"]]).authorization != nil,
                directory.authorization(ofLink: link.text) != nil,
                fixture.request(session: session).authorization?.isAnonymous == false,
            ]
        }
        let attempts: [() async throws -> Void] = [
            { try await directory.revokeToken(record.id, by: maker, anybody: false) },
            { try await directory.revokeLink(made.id, to: "r1", by: maker, anybody: false) },
            { try await directory.signOut(session, from: .none) },
            { try await directory.setPassword("battery staple", of: "ana", by: .system) },
            { try await directory.removeUser("ana", by: .system) },
        ]
        storage.fill(true)
        for attempt in attempts { await #expect(throws: AccessError.storage) { try await attempt() } }
        #expect(isInForce() == [true, true, true])
        #expect(try await fixture.signIn("ana", "battery staple") == nil)
        let written = try await fixture.entries().map(\.action)
        #expect(!written.contains(.revokeToken) && !written.contains(.removeUser))
        storage.fill(false)
        for attempt in attempts { try await attempt() }
        #expect(isInForce() == [false, false, false])
        // After a restart they are as they were.
        let again = try await DirectoryFixture(storage: storage)
        #expect(again.directory.users.map(\.name) == ["root"])
        #expect(again.directory.tokens().isEmpty && again.directory.links().isEmpty)
        #expect(again.request(session: session).authorization?.isAnonymous == true)
    }

    @Test func `a sign-in that is delayed does not read the storage`() async throws {
        let storage = FullStorage()
        let fixture = try await DirectoryFixture(storage: storage)
        try await fixture.addUser("ana")
        for _ in 0..<5 { #expect(try await fixture.signIn("ana", "wrong") == nil) }
        let reads = storage.reads
        for _ in 0..<3 {
            let outcome = try await fixture.directory.signIn(
                "ana", "correct horse", from: AuditOrigin(address: "192.0.2.1"))
            guard case .throttled = outcome else {
                Issue.record("it is not delayed: \(outcome)")
                return
            }
        }
        #expect(storage.reads == reads)
    }

    @Test func `views that cannot be stored stay as they were`() async throws {
        let storage = FullStorage()
        let fixture = try await DirectoryFixture(storage: storage)
        try await fixture.addUser("ana")
        let ana = try #require(fixture.directory.users.first).principal
        try await fixture.directory.changeViews(of: ana) { _ in "a" }
        storage.fill(true)
        await #expect(throws: AccessError.storage) {
            try await fixture.directory.changeViews(of: ana) { $0.map { $0 + "b" } ?? "" }
        }
        #expect(fixture.directory.views(of: ana) == "a")
        // After a restart they are as they were, until the account goes.
        storage.fill(false)
        let again = try await DirectoryFixture(storage: storage)
        #expect(again.directory.views(of: ana) == "a")
        try await again.directory.removeUser("ana", by: .system)
        let last = try await DirectoryFixture(storage: storage)
        #expect(last.directory.views(of: ana) == nil)
    }

    @Test func `an outage keeps nobody out who is in, and is in the log once`() async throws {
        let (storage, log) = (FullStorage(), CapturedLog(level: .notice))
        let fixture = try await DirectoryFixture(storage: storage, logger: log.logger)
        try await fixture.addUser("ana")
        let session = try #require(try await fixture.signIn("ana"))
        for _ in 0..<2 {
            storage.take(away: true)
            for _ in 0..<3 {
                await fixture.directory.tick()
                await #expect(throws: AccessError.storage) { try await fixture.signIn("ana") }
                #expect(await fixture.nameLookedUp(fixture.fields(session)) == "ana")
                #expect(await fixture.nameLookedUp(fixture.fields(SecretText(.session, bytes: [1]))) != "ana")
            }
            storage.take(away: false)
            await fixture.directory.tick()
        }
        #expect(try await fixture.signIn("ana") != nil)
        let (gone, back) = (log.messages(at: .error), log.messages(at: .notice))
        #expect(gone.count == 2 && gone.allSatisfy { $0.hasPrefix("Users and sessions cannot be read.") })
        #expect(back == Array(repeating: "Users and sessions can be read again.", count: 2))
    }

    @Test func `a record that cannot be read is in the log, and keeps nobody out`() async throws {
        let (storage, log) = (MemoryAccessStorage(), CapturedLog(level: .error))
        let fixture = try await DirectoryFixture(storage: storage, logger: log.logger)
        try await fixture.addUser("ana")
        let broken = StoredRecord(kind: StoredKind.user.rawValue, id: "bob", json: Data("{".utf8))
        _ = try await storage.write([.put(broken)], after: storage.version)
        await fixture.directory.tick()
        #expect(log.lines.count == 1)
        #expect(log.lines.first?.hasSuffix("cannot be read and have no effect. records=1") == true)
        #expect(try await fixture.signIn("ana") != nil)
    }

    @Test func `when a session was used last is stored once the storage is back`() async throws {
        let storage = FullStorage()
        let fixture = try await DirectoryFixture(storage: storage)
        try await fixture.addUser("ana")
        let session = try #require(try await fixture.signIn("ana"))
        fixture.advance(milliseconds: 600_000)
        storage.fill(true)
        #expect(fixture.request(session: session).authorization?.isAnonymous == false)
        await fixture.directory.tick()
        storage.fill(false)
        await fixture.directory.tick()
        let clock = StoppedClock()
        clock.advance(43_200_000 + 500_000)
        let again = try await DirectoryFixture(storage: storage, clock: clock)
        #expect(again.request(session: session).authorization?.isAnonymous == false)
    }

    @Test func `what expires while something goes on by it is noticed at the next look`() async throws {
        let fixture = try await DirectoryFixture()
        try await fixture.addUser("ana")
        let maker = try #require(fixture.directory.users.first).principal
        let (link, _) = try await fixture.directory.createLink(to: "r1", of: "deploy", hours: 1, by: maker)
        let (token, _) = try await fixture.directory.createToken(
            "ci", roles: [StoredAssignment(role: "viewer")], days: 1, by: maker)
        let held = try #require(fixture.directory.authorization(ofLink: link.text))
        let program = try #require(fixture.request(["authorization": ["Bearer \(token.text)"]]).authorization)
        await fixture.directory.tick()
        fixture.advance(milliseconds: 3_600_000)
        await fixture.directory.tick()
        #expect(fixture.control.current(held) == nil)
        #expect(fixture.control.current(program) != nil)
        fixture.advance(milliseconds: 86_400_000)
        await fixture.directory.tick()
        #expect(fixture.control.current(program) == nil)
    }

    @Test func `what has expired ends at one look, and everybody's rights are looked at anew only then`() async throws {
        let fixture = try await DirectoryFixture()
        try await fixture.addUser("ana")
        let maker = try #require(fixture.directory.users.first).principal
        _ = try await fixture.directory.createLink(to: "r1", of: "deploy", hours: 1, by: maker)
        await fixture.directory.tick()
        let before = fixture.control.generation
        fixture.advance(milliseconds: 3_600_000)
        await fixture.directory.tick()
        let after = fixture.control.generation
        await fixture.directory.tick()
        #expect(after > before)
        #expect(fixture.control.generation == after)
    }

    @Test func `what a command changes is in the server's audit, once, with the change itself`() async throws {
        let storage = MemoryAccessStorage()
        let command = try await DirectoryFixture(storage: storage, leavesAudit: true)
        let person = Principal(.operator, name: "root")
        try await command.directory.addUser(
            "ana", password: "correct horse", roles: [StoredAssignment(role: "viewer")], by: person)
        command.advance(milliseconds: 1)
        try await command.directory.setRoles([StoredAssignment(role: "operator")], of: "ana", by: person)
        #expect(try await command.entries().allSatisfy { $0.action == .open })
        let server = try await DirectoryFixture(storage: storage)
        let entries = try await server.entries().filter { $0.action != .open }
        #expect(entries.map(\.action) == [.changeRoles, .addUser])
        #expect(entries.allSatisfy { $0.name == "root" && $0.address == "command line" && $0.subject == "user:ana" })
        await server.directory.tick()
        #expect(try await server.entries().filter { $0.action != .open }.count == 2)
        let left = try await storage.records().filter { $0.kind == StoredKind.audit.rawValue }
        #expect(left.isEmpty)
    }

    @Test func `a session that is over ends what goes on by it, though the storage is away`() async throws {
        let storage = FullStorage()
        let fixture = try await DirectoryFixture(storage: storage)
        try await fixture.addUser("ana")
        let session = try #require(try await fixture.signIn("ana"))
        let held = try #require(fixture.request(session: session).authorization)
        storage.take(away: true)
        fixture.advance(milliseconds: 43_200_001)
        await fixture.directory.tick()
        #expect(fixture.control.current(held) == nil)
    }

    @Test func `that a session is used while another's use is stored is stored by the next look`() async throws {
        let storage = FullStorage()
        let fixture = try await DirectoryFixture(storage: storage)
        try await fixture.addUser("ana")
        let sessions = (try #require(try await fixture.signIn("ana")), try #require(try await fixture.signIn("ana")))
        fixture.advance(milliseconds: 600_000)
        #expect(fixture.request(session: sessions.0).authorization?.isAnonymous == false)
        storage.whileWriting { _ = fixture.request(session: sessions.1) }
        await fixture.directory.tick()
        storage.whileWriting {}
        await fixture.directory.tick()
        let clock = StoppedClock()
        clock.advance(43_200_000 + 500_000)
        let again = try await DirectoryFixture(storage: storage, clock: clock)
        #expect(again.request(session: sessions.1).authorization?.isAnonymous == false)
    }

    @Test func `refusals that were counted are written by a look, though nobody is refused any more`() async throws {
        let fixture = try await DirectoryFixture()
        let audit = fixture.directory.audit
        await audit.flush()
        let before = audit.head
        audit.record(.start, by: Principal(.operator, name: "root"), outcome: .refused)
        fixture.advance(milliseconds: AuditLog.countedFor)
        await fixture.directory.tick()
        try await until { audit.head != before }
    }
}
