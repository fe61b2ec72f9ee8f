import Synchronization
import Testing
import TestSupport

@testable import WeirAccess

/// Keeps records in memory, and holds writes back until a test lets them go.
private final class SlowStorage: AccessStorage {
    private struct State {
        var isSlow = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let base = MemoryAccessStorage()
    private let state = Mutex(State())

    var waiting: Int { state.withLock { $0.waiting.count } }
    func hold() { state.withLock { $0.isSlow = true } }
    func letGo() {
        let waiting = state.withLock { state in
            defer { state = State() }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Lets the waiting writes go, and holds the next ones back.
    func letThese() {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Changes something as another process does.
    func changeElsewhere(_ changes: [StoredChange]) async throws {
        _ = try await base.write(changes, after: base.version)
    }

    func news(since version: Int64?) async throws -> StoredNews? { try await base.news(since: version) }
    func write(_ changes: [StoredChange], after version: Int64) async throws -> Int64 {
        await withCheckedContinuation { continuation in
            let isHeld = state.withLock { state in
                if state.isSlow { state.waiting.append(continuation) }
                return state.isSlow
            }
            if !isHeld { continuation.resume() }
        }
        return try await base.write(changes, after: version)
    }
}

/// Changes that are asked for at once are made one after another, and none brings back what another took away.
@Suite(.timeLimit(.minutes(15))) struct ConcurrentChangeTests {
    /// Asks for one change, and for a second one while the first is being stored.
    private func both(
        _ storage: SlowStorage, _ first: @escaping @Sendable () async throws -> Void,
        _ second: @escaping @Sendable () async throws -> Void
    ) async throws -> [Result<Void, any Error>] {
        storage.hold()
        let one = Task { try await first() }
        try await until { storage.waiting == 1 }
        let isAsked = Mutex(false)
        let two = Task {
            isAsked.withLock { $0 = true }
            try await second()
        }
        try await until { isAsked.withLock { $0 } }
        // What the second one could do by now without the first, it has done.
        for _ in 0..<200 { await Task.yield() }
        storage.letGo()
        return [await one.result, await two.result]
    }

    private func succeeds(_ result: Result<Void, any Error>) -> Bool {
        if case .success = result { true } else { false }
    }

    @Test func `a password that is changed while its user is removed brings nobody back`() async throws {
        let storage = SlowStorage()
        let fixture = try await DirectoryFixture(storage: storage)
        for (name, role) in [("root", "admin"), ("ana", "operator")] { try await fixture.addUser(name, role) }
        let directory = fixture.directory
        let results = try await both(storage) {
            try await directory.removeUser("ana", by: .system)
        } _: {
            try await directory.setPassword("battery staple", of: "ana", by: .system)
        }
        #expect(succeeds(results[0]) && !succeeds(results[1]))
        #expect(directory.users.map(\.name) == ["root"])
        let again = try await DirectoryFixture(storage: storage)
        #expect(again.directory.users.map(\.name) == ["root"])
    }

    @Test func `one's own change of a password begins no session if the user is removed meanwhile`() async throws {
        let storage = SlowStorage()
        let fixture = try await DirectoryFixture(storage: storage)
        for (name, role) in [("root", "admin"), ("ana", "operator")] { try await fixture.addUser(name, role) }
        let directory = fixture.directory
        storage.hold()
        let change = Task {
            try await directory.changePassword(
                of: "ana", from: "correct horse", to: "battery staple", origin: .none, mark: nil)
        }
        // The password is stored, then the session.
        try await until { storage.waiting == 1 }
        let removal = Task { try await directory.removeUser("ana", by: .system) }
        for _ in 0..<200 { await Task.yield() }
        storage.letGo()
        try await removal.value
        await #expect(throws: AccessError(.invalid, .wrongPassword)) { try await change.value }
        #expect(try await storage.news(since: nil)?.records.contains { $0.kind == "session" } == false)
    }

    @Test func `a password that is changed while roles are taken away leaves them taken away`() async throws {
        let storage = SlowStorage()
        let fixture = try await DirectoryFixture(storage: storage)
        for (name, role) in [("root", "admin"), ("ana", "admin")] { try await fixture.addUser(name, role) }
        let directory = fixture.directory
        let results = try await both(storage) {
            try await directory.setRoles([StoredAssignment(role: "viewer")], of: "ana", by: .system)
        } _: {
            try await directory.setPassword("battery staple", of: "ana", by: .system)
        }
        #expect(results.allSatisfy(succeeds))
        let again = try await DirectoryFixture(storage: storage)
        #expect(again.directory.users.first { $0.name == "ana" }?.roles.map(\.role) == ["viewer"])
        #expect(try await again.signIn("ana", "battery staple") != nil)
    }

    @Test func `two administrators who demote each other at once do not both succeed`() async throws {
        let storage = SlowStorage()
        let fixture = try await DirectoryFixture(storage: storage)
        for name in ["ana", "bob"] { try await fixture.addUser(name, "admin") }
        let directory = fixture.directory
        let results = try await both(storage) {
            try await directory.setRoles([StoredAssignment(role: "viewer")], of: "ana", by: .system)
        } _: {
            try await directory.removeUser("bob", by: .system)
        }
        #expect(results.filter(succeeds).count == 1)
        #expect(directory.users.contains { $0.roles.map(\.role) == ["admin"] })
    }

    @Test func `a token that is made while its maker is removed is not left for the next of that name`() async throws {
        let storage = SlowStorage()
        let fixture = try await DirectoryFixture(storage: storage)
        for (name, role) in [("root", "admin"), ("ana", "operator")] { try await fixture.addUser(name, role) }
        let directory = fixture.directory
        let ana = try #require(directory.users.first { $0.name == "ana" }).principal
        let results = try await both(storage) {
            try await directory.removeUser("ana", by: .system)
        } _: {
            _ = try await directory.createToken(
                "ci", roles: [StoredAssignment(role: "viewer")], days: nil, by: ana)
        }
        #expect(succeeds(results[0]) && !succeeds(results[1]))
        #expect(directory.tokens().isEmpty)
    }

    @Test func `what was revoked just when it was used is not stored again`() async throws {
        let storage = SlowStorage()
        let fixture = try await DirectoryFixture(storage: storage)
        try await fixture.addUser("ana")
        let directory = fixture.directory
        let session = try #require(try await fixture.signIn("ana"))
        let (token, record) = try await directory.createToken(
            "ci", roles: [StoredAssignment(role: "viewer")], days: nil, by: .system)
        fixture.advance(milliseconds: 120_000)
        #expect(fixture.request(session: session).authorization?.isAnonymous == false)
        #expect(fixture.request(["authorization": ["Bearer \(token.text)"]]).authorization != nil)
        // The look that stores when both were used has found them, and another process is first.
        storage.hold()
        let look = Task { await directory.tick() }
        try await until { storage.waiting == 1 }
        try await storage.changeElsewhere([
            .remove(kind: .session, id: session.hash), .remove(kind: .token, id: record.id),
        ])
        storage.letGo()
        await look.value
        let left = try await storage.records().map(\.kind)
        #expect(!left.contains(StoredKind.session.rawValue) && !left.contains(StoredKind.token.rawValue))
        let again = try await DirectoryFixture(storage: storage)
        #expect(again.request(session: session).authorization?.isAnonymous == true)
    }

    @Test func `a command of another process is in force before a change is made here`() async throws {
        let storage = SlowStorage()
        let fixture = try await DirectoryFixture(storage: storage)
        for (name, role) in [("root", "admin"), ("ana", "admin")] { try await fixture.addUser(name, role) }
        let other = try await DirectoryFixture(storage: storage)
        try await other.directory.setRoles([StoredAssignment(role: "viewer")], of: "ana", by: .system)
        try await fixture.directory.setPassword("battery staple", of: "ana", by: .system)
        let again = try await DirectoryFixture(storage: storage)
        #expect(again.directory.users.first { $0.name == "ana" }?.roles.map(\.role) == ["viewer"])
    }

    @Test func `one role of somebody is changed, added and removed, and the others stay`() async throws {
        let fixture = try await DirectoryFixture()
        try await fixture.addUser("root", "admin")
        let directory = fixture.directory
        let narrow = StoredAssignment(role: "operator", operations: ["backup*"])
        try await directory.addUser("ana", password: "correct horse", roles: [narrow], by: .system)
        let viewer = StoredAssignment(role: "viewer")
        try await directory.changeRole(nil, to: viewer, of: "ana", by: .system)
        #expect(directory.users.first?.roles == [narrow, viewer])
        let wide = StoredAssignment(role: "operator", tags: ["production"])
        try await directory.changeRole(narrow.words, to: wide, of: "ana", by: .system)
        #expect(directory.users.first?.roles == [wide, viewer])
        try await directory.changeRole(viewer.words, to: nil, of: "ana", by: .system)
        #expect(directory.users.first?.roles == [wide])
        for (known, role) in [(narrow.words, viewer), (nil, wide), (nil, StoredAssignment(role: "nothing"))] {
            await #expect(throws: AccessError.self) {
                try await directory.changeRole(known, to: role, of: "ana", by: .system)
            }
        }
        await #expect(throws: AccessError(.conflict, .lastAdministrator)) {
            try await directory.changeRole("admin", to: nil, of: "root", by: .system)
        }
        #expect(directory.users.first?.roles == [wide])
    }
}
