import Testing
import WeirStates

@testable import WeirAccess

@Suite(.timeLimit(.minutes(15))) struct TokenTests {
    private func bearer(_ secret: SecretText) -> [String: [String]] { ["authorization": ["Bearer \(secret.text)"]] }

    private func person(_ fixture: DirectoryFixture, _ name: String) throws -> Principal {
        try #require(fixture.directory.users.first { $0.name == name }).principal
    }

    @Test func `a token may do what its role says, on what it is for`() async throws {
        let fixture = try await DirectoryFixture()
        let (token, _) = try await fixture.directory.createToken(
            "nightly", roles: [StoredAssignment(role: "operator", operations: ["backup*"])], days: 90, by: .system)
        let authorization = try #require(fixture.request(bearer(token)).authorization)
        #expect(authorization.principal.kind == .token)
        #expect(authorization.permissions.allows(.start, on: .operation("backup-daily")))
        #expect(!authorization.permissions.allows(.see, on: .operation("deploy")))
    }

    @Test func `a token or link of a clock that was ahead ends when the clock is set back by more than its validity`()
        async throws
    {
        let fixture = try await DirectoryFixture()
        try await fixture.addUser("ana", "operator")
        let maker = try person(fixture, "ana")
        let days: Int64 = 86_400_000
        for (back, isValid) in [(days / 2, true), (300 * days, false)] {
            fixture.advance(milliseconds: back)
            let viewer = [StoredAssignment(role: "viewer")]
            let token = try await fixture.directory.createToken("a", roles: viewer, days: 1, by: maker).token
            let endless = try await fixture.directory.createToken("b", roles: viewer, days: nil, by: maker).token
            let link = try await fixture.directory.createLink(to: "r1", of: "deploy", hours: 24, by: maker)
            let password = try await fixture.directory.makePasswordLink(of: "ana", hours: 24, by: .system)
            fixture.advance(milliseconds: -back)
            #expect((fixture.request(bearer(token)).authorization != nil) == isValid)
            #expect(fixture.request(bearer(endless)).authorization != nil)
            #expect((fixture.directory.authorization(ofLink: link.link.text) != nil) == isValid)
            #expect(fixture.directory.links().contains { $0.id == link.record.id } == isValid)
            let user = try? fixture.directory.userOfPasswordLink(password.secret.text, from: .none)
            #expect((user == "ana") == isValid)
        }
    }

    @Test func `a token's rights shrink with its maker's, and end with its maker`() async throws {
        let fixture = try await DirectoryFixture()
        try await fixture.addUser("root", "admin")
        try await fixture.addUser("ana", "operator")
        let (token, record) = try await fixture.directory.createToken(
            "ci", roles: [StoredAssignment(role: "operator")], days: nil, by: try person(fixture, "ana"))
        let before = try #require(fixture.request(bearer(token)).authorization)
        #expect(before.permissions.allows(.start, on: .operation("deploy")))
        #expect(!before.permissions.allows(.administer, on: .server))
        try await fixture.directory.setRoles([StoredAssignment(role: "viewer")], of: "ana", by: .system)
        #expect(fixture.control.current(before)?.permissions.allows(.start, on: .operation("deploy")) == false)
        try await fixture.directory.removeUser("ana", by: .system)
        #expect(fixture.control.current(before) == nil)
        #expect(fixture.request(bearer(token)).refusal == .invalidToken)
        // A new user of that name does not take it over.
        try await fixture.addUser("ana", "admin")
        #expect(fixture.request(bearer(token)).refusal == .invalidToken)
        #expect(!fixture.directory.tokens().contains { $0.id == record.id })
    }

    @Test func `a token with rights beyond its maker's is refused with a sentence`() async throws {
        let fixture = try await DirectoryFixture()
        try await fixture.addUser("root", "admin")
        try await fixture.directory.addUser(
            "vera", password: "correct horse", roles: [StoredAssignment(role: "viewer", operations: ["backup*"])],
            by: .system)
        let vera = try person(fixture, "vera")
        for role in [
            StoredAssignment(role: "admin"), StoredAssignment(role: "operator", operations: ["backup*"]),
            StoredAssignment(role: "viewer"), StoredAssignment(role: "viewer", operations: ["deploy"]),
        ] {
            let error = await #expect(throws: AccessError.self) {
                try await fixture.directory.createToken("a", roles: [role], days: 1, by: vera)
            }
            #expect(error?.description.contains("goes beyond your own rights") == true)
        }
        let own = StoredAssignment(role: "viewer", operations: ["backup-daily"])
        let (token, _) = try await fixture.directory.createToken("a", roles: [own], days: 1, by: vera)
        // A later promotion of the maker does not widen the token.
        try await fixture.directory.setRoles([StoredAssignment(role: "admin")], of: "vera", by: .system)
        let permissions = try #require(fixture.request(bearer(token)).authorization).permissions
        #expect(permissions.allows(.see, on: .operation("backup-daily")))
        #expect(!permissions.allows(.start, on: .operation("backup-daily")))
        #expect(!permissions.allows(.see, on: .operation("deploy")))
    }

    @Test func `no maker can use up the tokens and links of others`() async throws {
        let fixture = try await DirectoryFixture {
            ($0.shares.all, $0.shares.tokensOfOne, $0.shares.linksOfOne) = (5, 2, 2)
        }
        for name in ["ana", "bob"] { try await fixture.addUser(name) }
        let viewer = [StoredAssignment(role: "viewer")]
        for maker in [try person(fixture, "ana"), try person(fixture, "bob")] {
            for _ in 0..<2 {
                _ = try await fixture.directory.createToken("a", roles: viewer, days: 1, by: maker)
                _ = try await fixture.directory.createLink(to: "r", of: "deploy", hours: 1, by: maker)
            }
            await #expect(throws: AccessError(.conflict, .tooManyOwnTokens, ["limit": "2"])) {
                try await fixture.directory.createToken("a", roles: viewer, days: 1, by: maker)
            }
            await #expect(throws: AccessError(.conflict, .tooManyOwnLinks, ["limit": "2"])) {
                try await fixture.directory.createLink(to: "r", of: "deploy", hours: 1, by: maker)
            }
        }
    }

    @Test func `the name of a token states its kind and its maker, whatever the token is called`() async throws {
        let fixture = try await DirectoryFixture()
        try await fixture.addUser("ana")
        let viewer = [StoredAssignment(role: "viewer")]
        let ana = try person(fixture, "ana")
        for name in ["root of all", "the schedule", "deploy", String(repeating: "x", count: 100)] {
            let (token, _) = try await fixture.directory.createToken(name, roles: viewer, days: 1, by: ana)
            let principal = try #require(fixture.request(bearer(token)).authorization).principal
            #expect(principal.name.hasPrefix("token \(name.prefix(40))") && principal.name.hasSuffix(" by ana"))
            #expect(principal.name.count <= 100)
        }
        let (token, _) = try await fixture.directory.createToken("ci", roles: viewer, days: 1, by: .system)
        #expect(fixture.request(bearer(token)).authorization?.principal.name == "token ci")
    }

    @Test func `a token cannot have the name of another kind of principal or of the system's administrator`()
        async throws
    {
        let fixture = try await DirectoryFixture()
        try await fixture.addUser("ana")
        for maker in [try person(fixture, "ana"), .system] {
            for name in ["root", "Root", "schedule", "system", "hook deploy", "token x by ana"] {
                await #expect(throws: AccessError(.invalid, .reservedName, ["name": .text(name)])) {
                    try await fixture.directory.createToken(
                        name, roles: [StoredAssignment(role: "viewer")], days: 1, by: maker)
                }
            }
        }
        #expect(fixture.directory.tokens().isEmpty)
    }

    @Test func `a person cannot have the name of another kind of principal`() async throws {
        let fixture = try await DirectoryFixture()
        for name in ["schedule", "System", "operator", "anonymous", "hook", "token"] {
            await #expect(throws: AccessError(.invalid, .reservedName, ["name": .text(name.lowercased())])) {
                try await fixture.addUser(name)
            }
        }
        let proxy = try await DirectoryFixture(.proxy(user: "remote-user", groups: nil)) {
            $0.trustedProxies = [NetworkRange("127.0.0.1")].compactMap { $0 }
        }
        for name in ["schedule", "token root by ana", "Hook deploy", "link 7"] {
            let principal = try #require(proxy.request(["remote-user": [name]]).authorization).principal
            #expect(principal.name == "person \(name)" && principal.identity == name)
        }
        for name in ["ana", "tokenizer", "Hookham", "the schedule"] {
            #expect(proxy.request(["remote-user": [name]]).authorization?.principal.name == name)
        }
    }

    @Test func `expired, revoked, forged and truncated tokens are refused, and nothing else is tried`() async throws {
        let fixture = try await DirectoryFixture()
        try await fixture.addUser("ana", "admin")
        let session = try #require(try await fixture.signIn("ana"))
        let roles = [StoredAssignment(role: "viewer")]
        let (expired, _) = try await fixture.directory.createToken("a", roles: roles, days: 1, by: .system)
        let (revoked, record) = try await fixture.directory.createToken("b", roles: roles, days: nil, by: .system)
        let held = try #require(fixture.request(bearer(revoked)).authorization)
        try await fixture.directory.revokeToken(record.id, by: .system, anybody: true)
        #expect(fixture.control.current(held) == nil)
        fixture.advance(milliseconds: 86_400_000 + 1)
        let texts = [
            expired.text, revoked.text, String(expired.text.dropLast()), "weir_", "", " ", expired.hash,
            SecretText(.token, bytes: SecretText.random(32)).text, session.text,
        ]
        let cookie = ["\(fixture.directory.cookie.name)=\(session.text)"]
        for text in texts {
            let answer = fixture.request(["authorization": ["Bearer \(text)"], "cookie": cookie])
            #expect(answer.refusal == .invalidToken, "\(text)")
        }
        for field in ["Bearer", "bearer", "BEARER \t", "Bearer\t\(expired.text)"] {
            let answer = fixture.request(["authorization": [field], "cookie": cookie])
            #expect(answer.refusal == .invalidToken, "\(field)")
        }
        let two = fixture.request(["authorization": ["Bearer \(expired.text)", "Basic eDp5"]])
        #expect(two.refusal != nil)
    }

    @Test func `a token makes no token and no link`() async throws {
        let fixture = try await DirectoryFixture()
        let (token, _) = try await fixture.directory.createToken(
            "a", roles: [StoredAssignment(role: "admin")], days: nil, by: .system)
        let principal = try #require(fixture.request(bearer(token)).authorization).principal
        for maker in [principal, .anonymous, .link(id: "1", run: "r")] {
            await #expect(throws: AccessError.self) {
                try await fixture.directory.createToken(
                    "b", roles: [StoredAssignment(role: "viewer")], days: nil, by: maker)
            }
            await #expect(throws: AccessError.self) {
                try await fixture.directory.createLink(to: "r", of: "deploy", hours: 1, by: maker)
            }
        }
    }

    @Test func `somebody else's token is theirs to revoke, or an administrator's`() async throws {
        let fixture = try await DirectoryFixture()
        try await fixture.addUser("ana")
        try await fixture.addUser("bob")
        let (_, record) = try await fixture.directory.createToken(
            "a", roles: [StoredAssignment(role: "viewer")], days: nil, by: try person(fixture, "ana"))
        let bob = try person(fixture, "bob")
        await #expect(throws: AccessError.self) {
            try await fixture.directory.revokeToken(record.id, by: bob, anybody: false)
        }
        #expect(fixture.directory.tokens(of: Principal(.person, name: "bob")).isEmpty)
        try await fixture.directory.revokeToken(record.id, by: bob, anybody: true)
        #expect(fixture.directory.tokens().isEmpty)
    }

    @Test func `what others made goes on when somebody is removed`() async throws {
        let fixture = try await DirectoryFixture()
        try await fixture.addUser("root", "admin")
        for name in ["ana", "bob"] { try await fixture.addUser(name) }
        let bob = try person(fixture, "bob")
        let (token, _) = try await fixture.directory.createToken(
            "ci", roles: [StoredAssignment(role: "viewer")], days: nil, by: bob)
        let (link, _) = try await fixture.directory.createLink(to: "r1", of: "deploy", hours: 1, by: bob)
        try await fixture.directory.removeUser("ana", by: .system)
        #expect(fixture.request(bearer(token)).authorization != nil)
        #expect(fixture.directory.authorization(ofLink: link.text) != nil)
    }

    @Test func `the last use is kept by day`() async throws {
        let storage = MemoryAccessStorage()
        let fixture = try await DirectoryFixture(storage: storage)
        let (token, _) = try await fixture.directory.createToken(
            "a", roles: [StoredAssignment(role: "viewer")], days: nil, by: .system)
        #expect(fixture.directory.tokens().first?.usedOn == nil)
        _ = fixture.request(bearer(token))
        await fixture.directory.tick()
        let again = try await DirectoryFixture(storage: storage)
        #expect(again.directory.tokens().first?.usedOn == fixture.now / 86_400_000)
    }

    @Test(arguments: [
        ("", "viewer", 1), ("a\nb", "viewer", 1), ("a", "nobody", 1), ("a", "viewer", 0), ("a", "viewer", 9_999),
    ])
    func `a token that cannot be is not made`(name: String, role: String, days: Int) async throws {
        let fixture = try await DirectoryFixture()
        await #expect(throws: AccessError.self) {
            try await fixture.directory.createToken(
                name, roles: [StoredAssignment(role: role)], days: days, by: .system)
        }
    }

    @Test func `a link shows one run until it expires, is revoked, or its maker could not make it any more`()
        async throws
    {
        let fixture = try await DirectoryFixture()
        try await fixture.addUser("root", "admin")
        try await fixture.addUser("ana")
        let maker = try person(fixture, "ana")
        let (link, record) = try await fixture.directory.createLink(to: "r1", of: "deploy", hours: 2, by: maker)
        let held = try #require(fixture.directory.authorization(ofLink: link.text))
        #expect(held.permissions.allows(.see, onRun: "r1", of: "deploy"))
        #expect(!held.permissions.allows(.see, onRun: "r2", of: "deploy"))
        #expect(fixture.directory.authorization(ofLink: String(link.text.dropLast())) == nil)
        try await fixture.directory.setRoles(
            [StoredAssignment(role: "operator", operations: ["backup*"])], of: "ana", by: .system)
        #expect(fixture.control.current(held) == nil)
        try await fixture.directory.setRoles([StoredAssignment(role: "viewer")], of: "ana", by: .system)
        #expect(fixture.control.current(held) == nil)
        try await fixture.directory.setRoles([StoredAssignment(role: "operator")], of: "ana", by: .system)
        #expect(fixture.control.current(held) != nil)
        try await fixture.directory.revokeLink(record.id, to: "r1", by: maker, anybody: false)
        #expect(fixture.control.current(held) == nil)
        let (other, _) = try await fixture.directory.createLink(to: "r1", of: "deploy", hours: 2, by: maker)
        fixture.advance(milliseconds: 2 * 3_600_000)
        #expect(fixture.directory.authorization(ofLink: other.text) == nil)
    }
}
