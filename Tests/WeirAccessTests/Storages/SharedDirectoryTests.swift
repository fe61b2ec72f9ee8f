import Foundation
import Synchronization
import Testing

@testable import WeirAccess

/// Several servers, or a server and a command, with the users of one storage.
@Suite(.timeLimit(.minutes(15))) struct SharedDirectoryTests {
    /// Two servers of one storage, with one clock.
    private func withServers(
        _ kind: StorageKind, _ body: (_ one: DirectoryFixture, _ two: DirectoryFixture) async throws -> Void
    ) async throws {
        try await kind.withStorage { open in
            let clock = StoppedClock()
            let one = try await DirectoryFixture(storage: try await open(), clock: clock)
            let two = try await DirectoryFixture(storage: try await open(), clock: clock, takesOverAudit: { false })
            try await body(one, two)
        }
    }

    @Test(arguments: StorageKind.allCases)
    func `what another process changes is noticed by the next look`(_ kind: StorageKind) async throws {
        try await withServers(kind) { server, command in
            try await server.addUser("root", "admin")
            try await server.addUser("ana")
            let secret = try #require(try await server.signIn("ana"))
            let held = try #require(server.request(session: secret).authorization)
            try await command.directory.setRoles([StoredAssignment(role: "viewer")], of: "ana", by: .system)
            await server.directory.tick()
            #expect(server.control.current(held)?.permissions.allows(.start, on: .operation("deploy")) == false)
            try await command.directory.removeUser("ana", by: .system)
            await server.directory.tick()
            #expect(server.control.current(held) == nil)
        }
    }

    @Test(arguments: StorageKind.allCases)
    func `whoever signs in at one server is known at the other at once, by session, token and link`(
        _ kind: StorageKind
    ) async throws {
        try await withServers(kind) { one, two in
            #expect(one.directory.cookie == two.directory.cookie)
            try await one.addUser("ana")
            // Where the other server has not looked yet.
            let session = try #require(try await two.signIn("ana"))
            #expect(await one.nameLookedUp(one.fields(session)) == "ana")
            let ana = try #require(two.directory.users.first).principal
            let token = try await two.directory.createToken(
                "ci", roles: [StoredAssignment(role: "viewer")], days: nil, by: ana
            ).token
            #expect(await one.nameLookedUp(["authorization": ["Bearer \(token.text)"]]) == "token ci by ana")
            let link = try await one.directory.createLink(to: "r1", of: "deploy", hours: 1, by: ana).link
            await two.directory.lookUp()
            #expect(two.directory.authorization(ofLink: link.text) != nil)
            try await two.directory.changeViews(of: ana) { _ in "a" }
            await one.directory.lookUp()
            #expect(one.directory.views(of: ana) == "a")
            try await one.directory.signOut(session, from: .none)
            await two.directory.tick()
            #expect(two.request(session: session).authorization?.isAnonymous == true)
        }
    }

    @Test(arguments: StorageKind.allCases)
    func `a session that is used at one server goes on at the other, and one that is used nowhere ends`(
        _ kind: StorageKind
    ) async throws {
        try await withServers(kind) { one, two in
            try await one.addUser("ana")
            let (used, unused) = (try #require(try await one.signIn("ana")), try #require(try await one.signIn("ana")))
            await two.directory.tick()
            for _ in 0..<15 {
                one.advance(milliseconds: 3_600_000)
                #expect(one.request(session: used).authorization?.isAnonymous == false)
                await one.directory.tick()
            }
            // It has stood still meanwhile.
            await two.directory.tick()
            #expect(two.request(session: used).authorization?.isAnonymous == false)
            #expect(two.request(session: unused).authorization?.isAnonymous == true)
            let stored = try await two.directory.storage.records().filter { $0.kind == StoredKind.session.rawValue }
            #expect(stored.map(\.id) == [used.hash])
        }
    }

    @Test func `that somebody signs in or goes on at another server changes nobody's rights here`() async throws {
        try await withServers(.postgres) { one, two in
            try await one.addUser("ana")
            await two.directory.tick()
            let before = two.control.generation
            let session = try #require(try await one.signIn("ana"))
            await two.directory.tick()
            one.advance(milliseconds: 120_000)
            #expect(one.request(session: session).authorization?.isAnonymous == false)
            await one.directory.tick()
            await two.directory.tick()
            #expect(two.control.generation == before)
            #expect(two.request(session: session).authorization?.isAnonymous == false)
        }
    }

    @Test(arguments: StorageKind.allCases)
    func `two servers whose codes are entered at once make one first user`(_ kind: StorageKind) async throws {
        try await withServers(kind) { one, two in
            let codes = try [one, two].map { (try #require($0.directory.makeSetUpCode()), $0.directory) }
            let made = await withTaskGroup(of: Bool.self) { group in
                for (number, (code, directory)) in codes.enumerated() {
                    group.addTask {
                        do {
                            _ = try await directory.setUp(
                                code: code, name: "root\(number)", password: "correct horse", from: .none)
                            return true
                        } catch { return false }
                    }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(made == 1)
            for server in [one, two] {
                await server.directory.tick()
                #expect(server.directory.users.count == 1)
                #expect(!server.directory.awaitsSetUp && server.directory.makeSetUpCode() == nil)
            }
        }
    }

    @Test(arguments: StorageKind.allCases)
    func `two administrators who demote each other at two servers do not both succeed`(
        _ kind: StorageKind
    ) async throws {
        try await withServers(kind) { one, two in
            for name in ["ana", "bob"] { try await one.addUser(name, "admin") }
            await two.directory.tick()
            let demoted = await withTaskGroup(of: Bool.self) { group in
                for (server, name) in [(one, "ana"), (two, "bob")] {
                    group.addTask {
                        do {
                            try await server.directory.setRoles(
                                [StoredAssignment(role: "viewer")], of: name, by: .system)
                            return true
                        } catch { return false }
                    }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(demoted == 1)
        }
    }

    @Test(arguments: StorageKind.allCases)
    func `what a command changes is in the audit of the server that takes over, once`(_ kind: StorageKind) async throws
    {
        try await kind.withStorage { open in
            let command = try await DirectoryFixture(storage: try await open(), leavesAudit: true)
            try await command.addUser("ana")
            let isRecording = Mutex(false)
            let one = try await DirectoryFixture(
                storage: try await open(), takesOverAudit: { isRecording.withLock { $0 } })
            let two = try await DirectoryFixture(storage: try await open(), takesOverAudit: { false })
            func additions(_ server: DirectoryFixture) async throws -> Int {
                try await server.entries().filter { $0.action == .addUser }.count
            }
            for server in [one, two] { await server.directory.tick() }
            #expect(try await additions(one) == 0)
            isRecording.withLock { $0 = true }
            for server in [two, one, two, one] { await server.directory.tick() }
            #expect(try await additions(one) == 1)
            #expect(try await additions(two) == 0)
            #expect(try await !open().records().contains { $0.kind == StoredKind.audit.rawValue })
        }
    }

    @Test(arguments: StorageKind.allCases)
    func `servers that ask a provider share a key, and those that do not make none`(_ kind: StorageKind) async throws {
        try await kind.withStorage { open in
            #expect(try await DirectoryFixture(storage: try await open()).directory.signInKey == nil)
            let one = try await DirectoryFixture(.oidc(prefix: "i#"), storage: try await open())
            let two = try await DirectoryFixture(.oidc(prefix: "i#"), storage: try await open())
            #expect(one.directory.signInKey?.count == 64)
            #expect(one.directory.signInKey == two.directory.signInKey)
        }
    }

    @Test func `what a provider says of somebody's groups at one server bounds their tokens at the other`() async throws
    {
        try await StorageKind.postgres.withStorage { open in
            let rules = AccessRules(grants: [RoleGrant("operator", to: [.group("ops")])])
            let one = try await DirectoryFixture(.oidc(prefix: "i#"), rules: rules, storage: try await open())
            let two = try await DirectoryFixture(.oidc(prefix: "i#"), rules: rules, storage: try await open())
            var ana = StoredPerson(name: "Ana", identity: "i#7", isUser: false, groups: ["ops"])
            _ = try await one.directory.begin(ana, from: .none, replacing: nil)
            let token = try await one.directory.createToken(
                "ci", roles: [StoredAssignment(role: "operator")], days: nil,
                by: Principal(.person, name: "Ana", identity: "i#7", groups: ["ops"])
            ).token
            let fields = ["authorization": ["Bearer \(token.text)"]]
            #expect(await two.nameLookedUp(fields) == "token ci by Ana")
            let held = try #require(two.request(fields).authorization)
            #expect(held.permissions.allows(.start, on: .operation("deploy")))
            ana.groups = []
            _ = try await one.directory.begin(ana, from: .none, replacing: nil)
            await two.directory.tick()
            #expect(two.control.current(held)?.permissions.allows(.start, on: .operation("deploy")) == false)
        }
    }

    @Test func `who is removed at another server has everybody's rights looked at anew here`() async throws {
        try await withServers(.postgres) { one, two in
            try await one.addUser("ana")
            await two.directory.tick()
            let before = two.control.generation
            try await one.directory.removeUser("ana", by: .system)
            await two.directory.tick()
            #expect(two.control.generation > before)
        }
    }

    @Test func `a token, or a session of a provider's person, that is new at another server changes nobody's rights`()
        async throws
    {
        try await StorageKind.postgres.withStorage { open in
            let rules = AccessRules(grants: [RoleGrant("operator", to: [.group("ops")])])
            let one = try await DirectoryFixture(.oidc(prefix: "i#"), rules: rules, storage: try await open())
            let two = try await DirectoryFixture(.oidc(prefix: "i#"), rules: rules, storage: try await open())
            let ana = StoredPerson(name: "Ana", identity: "i#7", isUser: false, groups: ["ops"])
            await two.directory.tick()
            let before = two.control.generation
            _ = try await one.directory.begin(ana, from: .none, replacing: nil)
            await two.directory.tick()
            #expect(two.control.generation == before)
            _ = try await one.directory.createToken(
                "ci", roles: [StoredAssignment(role: "operator")], days: nil,
                by: Principal(.person, name: "Ana", identity: "i#7", groups: ["ops"]))
            await two.directory.tick()
            #expect(two.control.generation == before)
        }
    }

    @Test(arguments: StorageKind.allCases)
    func `a link that was made at one server is known at the other at once`(_ kind: StorageKind) async throws {
        try await withServers(kind) { one, two in
            try await one.addUser("ana")
            let ana = try #require(one.directory.users.first).principal
            let link = try await one.directory.createLink(to: "r1", of: "deploy", hours: 1, by: ana).link
            #expect(await two.nameLookedUp(["authorization": ["Bearer \(link.text)"]]) != nil)
        }
    }

    @Test func `a link that is changed at another server, and no other, has everybody's rights looked at anew here`()
        async throws
    {
        let storage = MemoryAccessStorage()
        let one = try await DirectoryFixture(storage: storage)
        try await one.addUser("ana")
        let ana = try #require(one.directory.users.first).principal
        var link = try await one.directory.createLink(to: "r1", of: "deploy", hours: 1, by: ana).record
        let two = try await DirectoryFixture(storage: storage, takesOverAudit: { false })
        let before = two.control.generation
        _ = try await storage.write([.put(link)], after: storage.version)
        await two.directory.tick()
        #expect(two.control.generation == before)
        link.run = "r2"
        _ = try await storage.write([.put(link)], after: storage.version)
        await two.directory.tick()
        #expect(two.control.generation > before)
    }

    @Test func `whoever brings nothing that only another server may know is answered without a look at the storage`()
        async throws
    {
        let fixture = try await DirectoryFixture()
        try await fixture.addUser("ana")
        let session = try #require(try await fixture.signIn("ana"))
        let ana = try #require(fixture.directory.users.first).principal
        let token = try await fixture.directory.createToken(
            "ci", roles: [StoredAssignment(role: "viewer")], days: nil, by: ana
        ).token
        let link = try await fixture.directory.createLink(to: "r1", of: "deploy", hours: 1, by: ana).link
        func isLookedUp(_ fields: [String: [String]]) -> Bool {
            fixture.directory.mayBeKnownElsewhere(
                AccessRequest(peer: "127.0.0.1", isSecure: false) { fields[$0] ?? [] })
        }
        func bearer(_ text: String) -> [String: [String]] { ["authorization": ["Bearer \(text)"]] }
        let known = [fixture.fields(session), bearer(token.text), bearer(link.text), bearer("weir_forged"), [:]]
        #expect(known.map(isLookedUp) == [false, false, false, false, false])
        let bytes = SecretText.random(32)
        let unknown = [
            fixture.fields(SecretText(.session, bytes: bytes)), bearer(SecretText(.token, bytes: bytes).text),
            bearer(SecretText(.link, bytes: bytes).text),
        ]
        #expect(unknown.map(isLookedUp) == [true, true, true])
    }
}
