import Testing

@testable import WeirAccess

/// Links with which people set passwords, and demands to change one.
@Suite(.timeLimit(.minutes(15)))
struct PasswordLinkTests {
    private let origin = AuditOrigin(address: "192.0.2.1")

    private func use(
        _ link: MadePasswordLink, _ fixture: DirectoryFixture, password: String = "battery staple"
    ) async throws -> SecretText {
        let (outcome, _) = try await fixture.directory.setPassword(
            password, byLink: link.secret.text, from: origin, replacing: nil)
        guard case .signedIn(let secret, _) = outcome else { throw AccessError(.wrong, "The link began no session.") }
        return secret
    }

    /// The message of the error for a link that is not valid; nil if it is.
    private func refusal(_ link: MadePasswordLink, _ fixture: DirectoryFixture) -> AccessError? {
        do {
            _ = try fixture.directory.userOfPasswordLink(link.secret.text, from: origin)
            return nil
        } catch { return error as? AccessError }
    }

    @Test func `an invited person has no password until the link sets one, once`() async throws {
        let storage = MemoryAccessStorage()
        let fixture = try await DirectoryFixture(storage: storage)
        let link = try await fixture.directory.invite(
            "ana", roles: [StoredAssignment(role: "operator")], hours: 2, mail: "ana@example.com", by: .system)
        for password in ["", "correct horse"] { #expect(try await fixture.signIn("ana", password) == nil) }
        for record in try await storage.records() {
            #expect(!String(decoding: record.json, as: UTF8.self).contains(link.secret.text))
        }
        #expect(throws: Never.self) { try fixture.directory.userOfPasswordLink(link.secret.text, from: origin) }
        await #expect(throws: AccessError(.invalid, .passwordHasName)) {
            try await use(link, fixture, password: "ana likes tea")
        }
        let session = try await use(link, fixture)
        #expect(fixture.request(session: session).authorization?.permissions.allows(.start, on: .server) == true)
        #expect(try await fixture.signIn("ana", "battery staple") != nil)
        await #expect(throws: AccessError(.missing, .unknownPasswordLink)) { try await use(link, fixture) }
        let made = try await fixture.entries(AuditFilter(action: .passwordLink)).first
        #expect(made?.subject == "user:ana")
        #expect(made?.detail == "before: none; after: a link for 2 hours, mailed to ana@example.com")
        #expect(
            try await fixture.entries(AuditFilter(action: .changePassword, outcome: .done)).map(\.detail)
                == ["by a link; ended: 0 sessions"])
    }

    @Test
    func `a link for a forgotten password leaves the old one in force until it is used, and ends the sessions then`()
        async throws
    {
        let fixture = try await DirectoryFixture()
        try await fixture.addUser("ana")
        let session = try #require(try await fixture.signIn("ana"))
        let link = try await fixture.directory.makePasswordLink(of: "ana", hours: 1, by: .system)
        #expect(try await fixture.signIn("ana") != nil)
        _ = try await use(link, fixture)
        #expect(fixture.request(session: session).authorization?.isAnonymous == true)
        #expect(try await fixture.signIn("ana") == nil)
    }

    @Test func `an administrator without a password is not the last one who can sign in`() async throws {
        let fixture = try await DirectoryFixture()
        let directory = fixture.directory
        try await fixture.addUser("root", "admin")
        let link = try await directory.invite(
            "bob", roles: [StoredAssignment(role: "admin")], hours: 2, by: .system)
        await #expect(throws: AccessError(.conflict, .lastAdministrator)) {
            try await directory.removeUser("root", by: .system)
        }
        _ = try await use(link, fixture)
        try await directory.removeUser("root", by: .system)
        #expect(directory.users.map(\.name) == ["bob"])
    }

    @Test func `a password that must be changed is not chosen again by a link`() async throws {
        let fixture = try await DirectoryFixture()
        try await fixture.addUser("ana")
        try await fixture.directory.setPassword("battery staple", of: "ana", mustChange: true, by: .system)
        let link = try await fixture.directory.makePasswordLink(of: "ana", hours: 1, by: .system)
        await #expect(throws: AccessError(.invalid, .samePassword)) { try await use(link, fixture) }
        _ = try await use(link, fixture, password: "staple battery")
    }

    @Test(arguments: [
        "removed", "removed and added", "password", "roles", "roles and back", "expired", "revoked", "replaced",
        "ended",
        "none",
    ])
    func `a link of a removed or changed user is as unknown as one that was never made`(change: String) async throws {
        let fixture = try await DirectoryFixture()
        let directory = fixture.directory
        try await fixture.addUser("root", "admin")
        try await fixture.addUser("ana")
        let link = try await directory.makePasswordLink(of: "ana", hours: 1, by: .system)
        #expect(refusal(link, fixture) == nil)
        fixture.advance(milliseconds: 1)
        switch change {
        case "removed": try await directory.removeUser("ana", by: .system)
        case "removed and added":
            try await directory.removeUser("ana", by: .system)
            try await fixture.addUser("ana")
        case "password": try await directory.setPassword("battery staple", of: "ana", by: .system)
        case "roles": try await directory.setRoles([StoredAssignment(role: "admin")], of: "ana", by: .system)
        case "roles and back":
            let roles = directory.users.first { $0.name == "ana" }?.roles ?? []
            try await directory.setRoles([StoredAssignment(role: "admin")], of: "ana", by: .system)
            try await directory.setRoles(roles, of: "ana", by: .system)
        case "expired": fixture.advance(milliseconds: 3_600_000)
        case "revoked": try await directory.revokePasswordLink(of: "ana", by: .system)
        case "replaced": _ = try await directory.makePasswordLink(of: "ana", hours: 1, by: .system)
        case "ended": _ = try await directory.endAccess(of: "user:ana", by: .system)
        default:
            #expect(throws: AccessError(.missing, .unknownPasswordLink)) {
                try directory.userOfPasswordLink("weir_password_x", from: origin)
            }
            return
        }
        #expect(refusal(link, fixture) == AccessError(.missing, .unknownPasswordLink))
    }

    @Test func `attempts with links are limited from one address, and by no one from another`() async throws {
        let fixture = try await DirectoryFixture()
        try await fixture.addUser("ana")
        let link = try await fixture.directory.makePasswordLink(of: "ana", hours: 1, by: .system)
        func attempt(_ text: String, from address: String) -> AccessError.Kind? {
            do {
                _ = try fixture.directory.userOfPasswordLink(text, from: AuditOrigin(address: address))
                return nil
            } catch { return (error as? AccessError)?.kind }
        }
        let kinds = (0..<6).map { _ in attempt("weir_password_x", from: "192.0.2.7") }
        #expect(kinds == Array(repeating: .missing, count: 5) + [.throttled])
        #expect(attempt(link.secret.text, from: "192.0.2.7") == .throttled)
        #expect(attempt(link.secret.text, from: "192.0.2.8") == nil)
    }

    @Test func `another server on the storage knows a link at once, and uses it up for all`() async throws {
        let storage = MemoryAccessStorage()
        let (one, other) = (try await DirectoryFixture(storage: storage), try await DirectoryFixture(storage: storage))
        let link = try await one.directory.invite("ana", roles: [], hours: 1, by: .system)
        await other.directory.lookUp()
        _ = try await use(link, other)
        await #expect(throws: AccessError.self) { try await use(link, one, password: "staple battery") }
        #expect(try await one.signIn("ana", "battery staple") != nil)
    }

    @Test func `whoever must change the password has no rights before, not even those of everyone`() async throws {
        let rules = AccessRules(grants: [RoleGrant("viewer", to: [.everyone])])
        let fixture = try await DirectoryFixture(rules: rules)
        try await fixture.addUser("ana")
        let session = try #require(try await fixture.signIn("ana"))
        let held = try #require(fixture.request(session: session).authorization)
        let token = try await fixture.directory.createToken(
            "ci", roles: [StoredAssignment(role: "viewer")], days: 1,
            by: held.principal
        ).token
        try await fixture.directory.requirePasswordChange(true, of: "ana", by: .system)
        for now in [fixture.request(session: session).authorization, fixture.control.current(held)] {
            #expect(now?.principal.mustChangePassword == true)
            #expect(now?.permissions.allowsAnywhere(.see) == false)
        }
        #expect(
            fixture.request(["authorization": ["Bearer \(token.text)"]]).authorization?.permissions
                .allowsAnywhere(.see) == true)
        await #expect(throws: AccessError(.invalid, .samePassword)) {
            try await fixture.directory.changePassword(
                of: "ana", from: "correct horse", to: "correct horse", origin: origin, mark: nil)
        }
        let after = try await fixture.directory.changePassword(
            of: "ana", from: "correct horse", to: "battery staple", origin: origin, mark: nil)
        let authorization = try #require(fixture.request(session: after).authorization)
        #expect(!authorization.principal.mustChangePassword && authorization.permissions.allowsAnywhere(.start))
        #expect(
            try await fixture.entries(AuditFilter(action: .requirePasswordChange)).map(\.detail)
                == ["before: not required; after: required"])
    }

    @Test func `a password that an administrator typed can be for one sign-in only`() async throws {
        let fixture = try await DirectoryFixture()
        let directory = fixture.directory
        try await directory.addUser("ana", password: "correct horse", roles: [], mustChange: true, by: .system)
        try await fixture.addUser("bob")
        try await directory.setPassword("battery staple", of: "bob", mustChange: true, by: .system)
        for (name, password) in [("ana", "correct horse"), ("bob", "battery staple")] {
            let session = try #require(try await fixture.signIn(name, password))
            #expect(fixture.request(session: session).authorization?.principal.mustChangePassword == true, "\(name)")
        }
        try await directory.setPassword("staple battery", of: "bob", by: .system)
        try await directory.requirePasswordChange(false, of: "ana", by: .system)
        for user in directory.users { #expect(!directory.mustChangePassword(user), "\(user.name)") }
    }

    @Test func `a demand survives that an earlier version writes the user, and ends with a password of that version`()
        async throws
    {
        let storage = MemoryAccessStorage()
        let fixture = try await DirectoryFixture(storage: storage)
        try await fixture.directory.addUser(
            "ana", password: "correct horse", roles: [], mustChange: true, by: .system)
        func write(_ change: (inout UserRecord) -> Void) async throws {
            var user = try #require(fixture.directory.users.first)
            change(&user)
            _ = try await storage.write([.put(user)], after: storage.version)
            try await fixture.directory.refresh()
        }
        try await write { $0.roles = [StoredAssignment(role: "viewer")] }
        #expect(fixture.directory.users.map(fixture.directory.mustChangePassword) == [true])
        try await write { $0.changedAt += 5 }
        #expect(fixture.directory.users.map(fixture.directory.mustChangePassword) == [false])
    }
}
