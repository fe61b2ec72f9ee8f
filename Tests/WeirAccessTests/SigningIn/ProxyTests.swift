import Testing

@testable import WeirAccess

@Suite(.timeLimit(.minutes(15))) struct ProxyTests {
    private func fixture(groups: String? = "remote-groups") async throws -> DirectoryFixture {
        let rules = AccessRules(grants: [
            RoleGrant(RoleAssignment("operator"), to: [.group("ops")]),
            RoleGrant(RoleAssignment("viewer"), to: [.user("ana")]),
        ])
        return try await DirectoryFixture(.proxy(user: "remote-user", groups: groups), rules: rules) {
            $0.trustedProxies = [NetworkRange("10.0.0.0/8"), NetworkRange("::1")].compactMap { $0 }
        }
    }

    @Test func `a proxy that is trusted names the person and the groups`() async throws {
        let fixture = try await fixture()
        let fields = ["remote-user": ["ana"], "remote-groups": ["dev, ops", "night"]]
        let authorization = try #require(fixture.request(fields, peer: "10.1.2.3").authorization)
        #expect(authorization.principal.key == "person:ana")
        #expect(authorization.principal.groups == ["dev", "ops", "night"])
        #expect(authorization.permissions.allows(.start, on: .operation("deploy")))
    }

    @Test(arguments: ["192.0.2.1", "127.0.0.1", "::2", "11.0.0.1", "not an address"])
    func `nobody else is believed`(peer: String) async throws {
        let fixture = try await fixture()
        let answer = fixture.request(["remote-user": ["ana"], "remote-groups": ["ops"]], peer: peer)
        #expect(answer.authorization?.isAnonymous == true)
    }

    @Test(arguments: [
        ["ana", "root"], ["ana,root"], ["ana\u{202E}"], ["ana\nroot"], [String(repeating: "x", count: 201)],
    ])
    func `a name that is not exactly one is refused`(values: [String]) async throws {
        let refusal = try await fixture().request(["remote-user": values], peer: "10.0.0.1").refusal
        guard case .malformed = refusal else {
            Issue.record("\(values) gave \(String(describing: refusal))")
            return
        }
    }

    @Test func `without the header nobody is known, and the groups header alone gives nothing`() async throws {
        let fixture = try await fixture()
        for fields in [[:], ["remote-user": [""]], ["remote-groups": ["ops"]]] as [[String: [String]]] {
            #expect(fixture.request(fields, peer: "10.0.0.1").authorization?.isAnonymous == true)
        }
    }

    @Test func `groups count only where a header for them is set`() async throws {
        let fixture = try await fixture(groups: nil)
        let fields = ["remote-user": ["eve"], "remote-groups": ["ops"]]
        let authorization = try #require(fixture.request(fields, peer: "10.0.0.1").authorization)
        #expect(!authorization.permissions.allowsAnywhere(.see))
    }

    @Test func `a link ends when the proxy names its maker without the group that allowed it`() async throws {
        let fixture = try await fixture()
        func named(in groups: String) throws -> Principal {
            let fields = ["remote-user": ["bob"], "remote-groups": [groups]]
            return try #require(fixture.request(fields, peer: "10.0.0.1").authorization).principal
        }
        let maker = try named(in: "ops")
        let (link, _) = try await fixture.directory.createLink(to: "r1", of: "deploy", hours: 1, by: maker)
        #expect(fixture.directory.authorization(ofLink: link.text) != nil)
        _ = try named(in: "dev")
        #expect(fixture.directory.authorization(ofLink: link.text) == nil)
    }

    @Test func `basic authentication that a proxy passes on is no token`() async throws {
        let fields = ["remote-user": ["ana"], "authorization": ["Basic YW5hOng="]]
        #expect(try await fixture().request(fields, peer: "10.0.0.1").authorization?.principal.name == "ana")
    }

    @Test func `the address of a client is what the nearest proxy that is not ours says`() async throws {
        let directory = try await fixture().directory
        func address(_ peer: String, _ values: String...) -> String? {
            directory.address(peer: peer, forwardedFor: values)
        }
        #expect(address("192.0.2.1", "203.0.113.5") == "192.0.2.1")
        #expect(address("10.0.0.1", "203.0.113.5") == "203.0.113.5")
        #expect(address("10.0.0.1", "1.1.1.1, 203.0.113.5") == "203.0.113.5")
        #expect(address("10.0.0.1", "1.1.1.1", "203.0.113.5, 10.0.0.9") == "203.0.113.5")
        #expect(address("10.0.0.1", "203.0.113.5, garbage") == "10.0.0.1")
        #expect(address("10.0.0.1") == "10.0.0.1")
    }

    @Test func `where nobody is asked, a request through a proxy is refused unless that was written down`() async throws
    {
        let open = try await DirectoryFixture(.none(allowsForwarded: false))
        #expect(open.request([:]).authorization?.principal.kind == .operator)
        for name in [
            "forwarded", "x-forwarded-for", "x-forwarded-proto", "x-forwarded-host", "x-real-ip", "x-forwarded-prefix",
            "x-forwarded-scheme", "cf-connecting-ip", "via",
        ] {
            guard case .forwarded = open.request([name: ["x"]]).refusal else {
                Issue.record("\(name) passes")
                continue
            }
        }
        let written = try await DirectoryFixture(.none(allowsForwarded: true))
        #expect(written.request(["x-forwarded-for": ["x"]]).authorization?.principal.kind == .operator)
    }

    @Test func `passwords are taken where nobody on the way can read them`() async throws {
        let directory = try await fixture().directory
        #expect(directory.takesPasswords(from: "127.0.0.1") && directory.takesPasswords(from: "10.0.0.1"))
        #expect(!directory.takesPasswords(from: "192.0.2.1") && !directory.takesPasswords(from: nil))
        let own = try await DirectoryFixture { $0.hasCertificate = true }.directory
        #expect(own.takesPasswords(from: "192.0.2.1"))
    }
}
