import Testing

@testable import WeirAccess

/// The tokens and links of a person from an identity provider or a proxy end when that source does not name the person again.
@Suite(.timeLimit(.minutes(15))) struct LeaseTests {
    private static let hour: Int64 = 3_600_000
    private static let rules = AccessRules(grants: [RoleGrant(RoleAssignment("operator"), to: [.group("ops")])])

    private func fixture(
        _ mode: AccessConfiguration.Mode = .oidc(prefix: "p#"), _ storage: any AccessStorage = MemoryAccessStorage(),
        clock: StoppedClock = StoppedClock()
    ) async throws -> DirectoryFixture {
        try await DirectoryFixture(mode, rules: Self.rules, storage: storage, clock: clock) {
            $0.lease = 24 * Self.hour
            $0.trustedProxies = [NetworkRange("127.0.0.1")].compactMap { $0 }
        }
    }

    private func ana(_ groups: [String] = ["ops"]) -> StoredPerson {
        StoredPerson(name: "Ana", identity: "p#1", isUser: false, groups: groups)
    }

    /// A token and a link that a signed-in person made.
    private func credentials(_ fixture: DirectoryFixture, _ session: SecretText) async throws -> (
        token: SecretText, link: SecretText
    ) {
        let maker = try #require(fixture.request(session: session).authorization).principal
        let token = try await fixture.directory.createToken(
            "ci", roles: [StoredAssignment(role: "operator")], days: nil, by: maker
        ).token
        let link = try await fixture.directory.createLink(to: "r1", of: "deploy", hours: 8_760, by: maker).link
        return (token, link)
    }

    private func request(_ fixture: DirectoryFixture, _ secret: SecretText) -> Authorization? {
        fixture.request(["authorization": ["Bearer \(secret.text)"]]).authorization
    }

    @Test func `tokens and links end with the lease, also what they are doing, and the next sign-in revives them`()
        async throws
    {
        let fixture = try await fixture()
        let session = try await fixture.directory.begin(ana(), from: .none, replacing: nil)
        let (token, link) = try await credentials(fixture, session)
        let held = try [#require(request(fixture, token)), #require(request(fixture, link))]
        fixture.advance(milliseconds: 24 * Self.hour - 1_000)
        await fixture.directory.tick()
        #expect(held.allSatisfy { fixture.control.current($0) != nil })
        fixture.advance(milliseconds: 1_000)
        await fixture.directory.tick()
        #expect(held.allSatisfy { fixture.control.current($0) == nil })
        #expect(request(fixture, token) == nil && request(fixture, link) == nil)
        _ = try await fixture.directory.begin(ana(), from: .none, replacing: nil)
        #expect(request(fixture, token) != nil && request(fixture, link) != nil)
    }

    @Test func `a sign-in without the group ends what the group allowed, at once`() async throws {
        let fixture = try await fixture()
        let session = try await fixture.directory.begin(ana(), from: .none, replacing: nil)
        let (token, link) = try await credentials(fixture, session)
        let held = try #require(request(fixture, token))
        _ = try await fixture.directory.begin(ana([]), from: .none, replacing: nil)
        #expect(fixture.control.current(held)?.permissions.allowsAnywhere(.see) == false)
        #expect(request(fixture, link) == nil)
    }

    @Test func `the lease and the latest groups outlive a restart, and do not begin again with it`() async throws {
        let (storage, clock) = (MemoryAccessStorage(), StoppedClock())
        let first = try await fixture(.oidc(prefix: "p#"), storage, clock: clock)
        let session = try await first.directory.begin(ana(), from: .none, replacing: nil)
        let (token, _) = try await credentials(first, session)
        clock.advance(20 * Self.hour)
        let second = try await fixture(.oidc(prefix: "p#"), storage, clock: clock)
        #expect(request(second, token)?.permissions.allows(.start, on: .operation("deploy")) == true)
        clock.advance(4 * Self.hour)
        #expect(request(second, token) == nil)
        let third = try await fixture(.oidc(prefix: "p#"), storage, clock: clock)
        #expect(request(third, token) == nil)
    }

    @Test func `a person whom a proxy names keeps tokens as long as it names them`() async throws {
        let fixture = try await fixture(.proxy(user: "remote-user", groups: "remote-groups"))
        let fields = ["remote-user": ["ana"], "remote-groups": ["ops"]]
        let maker = try #require(fixture.request(fields).authorization).principal
        let token = try await fixture.directory.createToken(
            "ci", roles: [StoredAssignment(role: "operator")], days: nil, by: maker
        ).token
        for _ in 0..<4 {
            fixture.advance(milliseconds: 20 * Self.hour)
            _ = fixture.request(fields)
            #expect(request(fixture, token) != nil)
        }
        fixture.advance(milliseconds: 24 * Self.hour)
        #expect(request(fixture, token) == nil)
        // The clock was ahead and is set back.
        fixture.advance(milliseconds: -60 * Self.hour)
        #expect(request(fixture, token) == nil)
        _ = fixture.request(fields)
        #expect(request(fixture, token) != nil)
    }

    @Test func `what a proxied request began loses the groups that a later request of the person lacks`() async throws {
        let fixture = try await fixture(.proxy(user: "remote-user", groups: "remote-groups"))
        let held = try #require(
            fixture.request(["remote-user": ["ana"], "remote-groups": ["ops"]]).authorization)
        #expect(held.permissions.allows(.start, on: .operation("deploy")))
        _ = fixture.request(["remote-user": ["ana"], "remote-groups": ["dev"]])
        #expect(fixture.control.current(held)?.permissions.allows(.start, on: .operation("deploy")) == false)
    }

    @Test func `groups that a source names after the clock was set back count at once, and after a restart`()
        async throws
    {
        let (storage, clock) = (MemoryAccessStorage(), StoppedClock())
        let mode = AccessConfiguration.Mode.proxy(user: "remote-user", groups: "remote-groups")
        let first = try await fixture(mode, storage, clock: clock)
        let maker = try #require(
            first.request(["remote-user": ["ana"], "remote-groups": ["ops"]]).authorization
        ).principal
        let token = try await first.directory.createToken(
            "ci", roles: [StoredAssignment(role: "operator")], days: nil, by: maker
        ).token
        await first.directory.tick()
        clock.advance(-2 * Self.hour)
        _ = first.request(["remote-user": ["ana"], "remote-groups": ["dev"]])
        func mayStart(_ fixture: DirectoryFixture) -> Bool? {
            request(fixture, token)?.permissions.allows(.start, on: .operation("deploy"))
        }
        #expect(mayStart(first) == false)
        await first.directory.tick()
        let second = try await fixture(mode, storage, clock: clock)
        #expect(mayStart(second) == false)
    }

    @Test func `a lease of a clock that was years ahead is over when the clock is right`() async throws {
        let (storage, clock) = (MemoryAccessStorage(), StoppedClock())
        let fixture = try await fixture(.oidc(prefix: "p#"), storage, clock: clock)
        clock.advance(365 * 24 * Self.hour)
        let session = try await fixture.directory.begin(ana(), from: .none, replacing: nil)
        let (token, link) = try await credentials(fixture, session)
        clock.advance(-365 * 24 * Self.hour)
        #expect(request(fixture, token) == nil && request(fixture, link) == nil)
        await fixture.directory.tick()
        #expect(fixture.request(session: session).authorization?.isAnonymous == true)
    }

    @Test func `a stored naming does not replace a later one that is not stored yet`() async throws {
        let (storage, clock) = (MemoryAccessStorage(), StoppedClock())
        let mode = AccessConfiguration.Mode.proxy(user: "remote-user", groups: "remote-groups")
        let (here, there) = (
            try await fixture(mode, storage, clock: clock), try await fixture(mode, storage, clock: clock)
        )
        _ = there.request(["remote-user": ["ana"], "remote-groups": ["ops"]])
        await there.directory.tick()
        let held = try #require(
            here.request(["remote-user": ["ana"], "remote-groups": ["dev"]]).authorization)
        await here.directory.lookUp()
        #expect(here.control.current(held)?.permissions.allows(.start, on: .operation("deploy")) == false)
        for fixture in [here, there] { await fixture.directory.tick() }
        #expect(there.directory.people.map(\.person.groups) == [["dev"]])
    }

    @Test func `a naming that is not stored yet does not replace a later one of another server`() async throws {
        let (storage, clock) = (MemoryAccessStorage(), StoppedClock())
        let mode = AccessConfiguration.Mode.proxy(user: "remote-user", groups: "remote-groups")
        let (here, there) = (
            try await fixture(mode, storage, clock: clock), try await fixture(mode, storage, clock: clock)
        )
        _ = there.request(["remote-user": ["ana"], "remote-groups": ["ops"]])
        clock.advance(1_000)
        _ = here.request(["remote-user": ["ana"], "remote-groups": ["dev"]])
        for fixture in [here, there, here] { await fixture.directory.tick() }
        for fixture in [here, there] { #expect(fixture.directory.people.map(\.person.groups) == [["dev"]]) }
    }

    @Test func `an administrator ends a person's sessions, tokens and links, and the audit states how many`()
        async throws
    {
        let fixture = try await fixture()
        let session = try await fixture.directory.begin(ana(), from: .none, replacing: nil)
        let (token, link) = try await credentials(fixture, session)
        let held = try #require(fixture.request(session: session).authorization)
        let person = try #require(fixture.directory.people.first)
        #expect(
            person.person == ana() && person.sessions.count == 1 && person.tokens.count == 1 && person.links.count == 1)
        _ = try await fixture.directory.endAccess(of: person.id, by: .system)
        #expect(fixture.control.current(held) == nil)
        #expect(request(fixture, token) == nil && request(fixture, link) == nil)
        let entry = try #require(try await fixture.entries(AuditFilter(action: .endAccess)).first)
        #expect(entry.subject == "person:p#1" && entry.detail == "ended: 1 sessions, 1 tokens, 1 links")
        await #expect(throws: AccessError(.missing, .unknownPerson)) {
            _ = try await fixture.directory.endAccess(of: "nobody", by: .system)
        }
    }

    @Test func `the audit names a person with a reserved name as runs do`() async throws {
        let fixture = try await fixture()
        let person = StoredPerson(name: "system", identity: "p#9", isUser: false, groups: ["ops"])
        let session = try await fixture.directory.begin(person, from: .none, replacing: nil)
        try await fixture.directory.signOut(session, from: .none)
        for action in [AuditAction.signIn, .signOut] {
            #expect(try await fixture.entries(AuditFilter(action: action)).map(\.name) == ["person system"])
        }
    }

    @Test func `a sign-out at the provider ends the sessions it names, and no others`() async throws {
        let fixture = try await fixture()
        func begin(_ subject: String, _ session: String) async throws -> SecretText {
            let person = StoredPerson(name: "A", identity: "p#\(subject)", isUser: false, groups: ["ops"])
            return try await fixture.directory.begin(person, from: .none, replacing: nil, providerSession: session)
        }
        let sessions = [try await begin("1", "a"), try await begin("1", "b"), try await begin("2", "c")]
        func areLive() -> [Bool] { sessions.map { fixture.request(session: $0).authorization?.isAnonymous == false } }
        #expect(
            try await fixture.directory.endSessions(of: ProviderSignOut(identity: nil, session: "a"), from: .none) == 1)
        #expect(areLive() == [false, true, true])
        let other = ProviderSignOut(identity: "p#2", session: "b")
        #expect(try await fixture.directory.endSessions(of: other, from: .none) == 0)
        #expect(
            try await fixture.directory.endSessions(of: ProviderSignOut(identity: "p#1", session: nil), from: .none)
                == 1)
        #expect(areLive() == [false, false, true])
        let entries = try await fixture.entries(AuditFilter(action: .endSession))
        #expect(entries.count == 2 && entries.allSatisfy { $0.subject == "person:p#1" })
    }

    @Test func `people end their own sessions, and nobody else's`() async throws {
        let fixture = try await DirectoryFixture()
        for name in ["ana", "bob"] { try await fixture.addUser(name) }
        let (ana, bob) = (try #require(try await fixture.signIn("ana")), try #require(try await fixture.signIn("bob")))
        let principal = try #require(fixture.request(session: ana).authorization).principal
        let own = fixture.directory.sessions(of: principal)
        #expect(own.map(\.person.name) == ["ana"] && own.first?.address == "192.0.2.1")
        let foreign = try #require(fixture.directory.sessions().first { $0.person.name == "bob" })
        await #expect(throws: AccessError(.missing, .unknownSession)) {
            try await fixture.directory.endSession(foreign.id, by: principal, anybody: false)
        }
        try await fixture.directory.endSession(try #require(own.first).id, by: principal, anybody: false)
        #expect(fixture.request(session: ana).authorization?.isAnonymous == true)
        #expect(fixture.request(session: bob).authorization?.isAnonymous == false)
    }
}
