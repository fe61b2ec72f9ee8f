import Testing

@testable import WeirAccess

@Suite(.timeLimit(.minutes(15))) struct SigningInTests {
    @Test func `whoever gives the right name and password has a session with their rights`() async throws {
        let fixture = try await DirectoryFixture()
        try await fixture.addUser("ana")
        let secret = try #require(try await fixture.signIn(" Ana "))
        let authorization = try #require(fixture.request(session: secret).authorization)
        #expect(authorization.principal.name == "ana")
        #expect(authorization.principal.kind == .person)
        #expect(authorization.permissions.allows(.start, on: .operation("deploy")))
        #expect(!authorization.permissions.allows(.administer, on: .server))
    }

    @Test func `a wrong password and an unknown name are one answer, after the same work`() async throws {
        let fixture = try await DirectoryFixture()
        try await fixture.addUser("ana")
        let long = String(repeating: "x", count: PasswordRule.maximumBytes + 1)
        for (name, password) in [
            ("ana", "wrong horse"), ("bob", "correct horse"), ("", ""), ("ana", ""), ("é", "x"), ("ana", long),
        ] {
            guard
                case .wrong = try await fixture.directory.signIn(
                    name, password, from: AuditOrigin(address: "192.0.2.1"))
            else {
                Issue.record("\(name) got another answer")
                continue
            }
        }
        #expect(fixture.directory.decoy.cost == fixture.directory.configuration.cost)
        let refusals = try await fixture.entries(AuditFilter(action: .signIn, outcome: .refused))
        #expect(refusals.map(\.count).reduce(0, +) == 6)
    }

    @Test func `a session secret that the browser brought is never taken over`() async throws {
        let fixture = try await DirectoryFixture()
        try await fixture.addUser("ana")
        let planted = SecretText(.session, bytes: Array(0..<32))
        guard
            case .signedIn(let secret, _) = try await fixture.directory.signIn(
                "ana", "correct horse", from: AuditOrigin(address: "192.0.2.1"), replacing: planted)
        else {
            Issue.record("ana is not signed in")
            return
        }
        #expect(secret.text != planted.text)
        #expect(fixture.request(session: planted).authorization?.isAnonymous == true)
    }

    @Test func `signing in again ends the browser's session of before`() async throws {
        let fixture = try await DirectoryFixture()
        try await fixture.addUser("ana")
        let first = try #require(try await fixture.signIn("ana"))
        let held = try #require(fixture.request(session: first).authorization)
        _ = try await fixture.directory.signIn(
            "ana", "correct horse", from: AuditOrigin(address: "192.0.2.1"), replacing: first)
        #expect(fixture.request(session: first).authorization?.isAnonymous == true)
        // Also what goes on by it, such as a page that is open.
        #expect(fixture.control.current(held) == nil)
    }

    @Test func `forged, truncated, doubled and foreign cookies are nobody's`() async throws {
        let fixture = try await DirectoryFixture()
        try await fixture.addUser("ana")
        let secret = try #require(try await fixture.signIn("ana"))
        let name = fixture.directory.cookie.name
        let cookies = [
            "\(name)=", "\(name)=x", "\(name)=\(secret.text.dropLast())", "\(name)=\(secret.text)x",
            "\(name)=\(secret.hash)", "__Host-weir=\(secret.text)", "weir=\(secret.text)",
            "\(name)=\(SecretText(.session, bytes: SecretText.random(32)).text)",
            "\(name)=\(SecretText(.token, bytes: Array(0..<32)).text)",
            "\(name)=\(secret.text); \(name)=\(SecretText(.session, bytes: Array(0..<32)).text)",
        ]
        for cookie in cookies {
            #expect(fixture.request(["cookie": [cookie]]).authorization?.isAnonymous == true, "\(cookie)")
        }
        #expect(fixture.request(["cookie": ["\(name)=\(secret.text)"]]).authorization?.isAnonymous == false)
    }

    @Test func `a session ends after its idle time, or at its limit however much it is used`() async throws {
        let fixture = try await DirectoryFixture { configuration in
            configuration.sessions.idle = 3_600_000
            configuration.sessions.maximum = 10 * 3_600_000
        }
        try await fixture.addUser("ana")
        let idle = try #require(try await fixture.signIn("ana"))
        let used = try #require(try await fixture.signIn("ana"))
        for _ in 0..<10 {
            fixture.advance(milliseconds: 3_500_000)
            #expect(fixture.request(session: used).authorization?.isAnonymous == false)
        }
        #expect(fixture.request(session: idle).authorization?.isAnonymous == true)
        fixture.advance(milliseconds: 1_100_000)
        #expect(fixture.request(session: used).authorization?.isAnonymous == true)
    }

    @Test func `an authorization that is held learns within one look that its session is over`() async throws {
        let fixture = try await DirectoryFixture()
        try await fixture.addUser("ana")
        let secret = try #require(try await fixture.signIn("ana"))
        let held = try #require(fixture.request(session: secret).authorization)
        #expect(fixture.control.current(held) != nil)
        try await fixture.directory.signOut(secret, from: .none)
        #expect(fixture.control.current(held) == nil)
    }

    @Test func `idle sessions that are held end with the next tick`() async throws {
        let fixture = try await DirectoryFixture { $0.sessions.idle = 60_000 }
        try await fixture.addUser("ana")
        let secret = try #require(try await fixture.signIn("ana"))
        let held = try #require(fixture.request(session: secret).authorization)
        fixture.advance(milliseconds: 60_001)
        await fixture.directory.tick()
        #expect(fixture.control.current(held) == nil)
    }

    @Test func `sessions of one person are bounded, the one unused for longest goes first`() async throws {
        let fixture = try await DirectoryFixture { $0.sessions.perPerson = 3 }
        try await fixture.addUser("ana")
        var secrets: [SecretText] = []
        for _ in 0..<4 {
            secrets.append(try #require(try await fixture.signIn("ana")))
            fixture.advance(milliseconds: 10_000)
        }
        let signedIn = secrets.map { fixture.request(session: $0).authorization?.isAnonymous == false }
        #expect(signedIn == [false, true, true, true])
    }

    @Test func `sessions outlive a restart, as only their hashes are kept`() async throws {
        let storage = MemoryAccessStorage()
        let fixture = try await DirectoryFixture(storage: storage)
        try await fixture.addUser("ana")
        let secret = try #require(try await fixture.signIn("ana"))
        let again = try await DirectoryFixture(storage: storage)
        #expect(again.request(session: secret).authorization?.principal.name == "ana")
        for record in try await storage.records() {
            #expect(!String(decoding: record.json, as: UTF8.self).contains(secret.text))
            #expect(!String(decoding: record.json, as: UTF8.self).contains("correct horse"))
        }
    }

    @Test func `a hash that cost less than hashes do now is made anew at the next sign-in`() async throws {
        let storage = MemoryAccessStorage()
        let fixture = try await DirectoryFixture(storage: storage)
        try await fixture.addUser("ana")
        let later = try await DirectoryFixture(storage: storage) {
            $0.cost = ScryptCost(logRounds: 5, blockSize: 8, parallelism: 1)
        }
        #expect(try await later.signIn("ana") != nil)
        let user = try #require(later.directory.users.first)
        #expect(try #require(PasswordHash(user.password)).cost.logRounds == 5)
        #expect(try await later.signIn("ana") != nil)
    }

    @Test func `ten thousand attempts cost a few hashes, and the user still signs in from elsewhere`() async throws {
        let fixture = try await DirectoryFixture()
        try await fixture.addUser("ana")
        #expect(try await fixture.signIn("ana") != nil)
        var throttled = 0
        for attempt in 0..<10_000 {
            let outcome = try await fixture.directory.signIn(
                "ana", "guess \(attempt)", from: AuditOrigin(address: "10.0.0.\(attempt % 4)"))
            if case .throttled = outcome { throttled += 1 }
        }
        #expect(throttled > 9_900)
        #expect(try await fixture.signIn("ana") != nil)
        let refusals = try await fixture.entries(AuditFilter(action: .signIn, outcome: .refused))
        #expect(refusals.count <= 2)
        #expect(refusals.map(\.count).reduce(0, +) == 10_000)
    }

    @Test func `a browser in which a user signed in stays known after a restart, until the password changes`()
        async throws
    {
        let storage = MemoryAccessStorage()
        let first = try await DirectoryFixture(storage: storage)
        try await first.addUser("root", "admin")
        try await first.addUser("ana")
        let mark = try #require(first.directory.browserMark(of: "ana"))
        let fixture = try await DirectoryFixture(storage: storage)
        func attempt(_ name: String, _ password: String, _ mark: String?) async throws -> SignInOutcome {
            try await fixture.directory.signIn(name, password, from: AuditOrigin(address: "10.0.0.1"), mark: mark)
        }
        for number in 0..<30 { _ = try await attempt("ana", "guess \(number)", nil) }
        guard case .throttled = try await attempt("ana", "correct horse", nil) else {
            Issue.record("an unknown browser at that address is not delayed")
            return
        }
        for forged in [String(mark.dropLast()) + (mark.last == "0" ? "1" : "0"), "x.y", "", mark + "0"] {
            guard case .throttled = try await attempt("ana", "correct horse", forged) else {
                Issue.record("\(forged) is accepted")
                continue
            }
        }
        guard case .signedIn = try await attempt("ana", "correct horse", mark) else {
            Issue.record("the known browser is delayed")
            return
        }
        fixture.advance(milliseconds: 1)
        try await fixture.directory.setPassword("another horse", of: "ana", by: .system)
        for number in 0..<30 { _ = try await attempt("ana", "guess \(number)", nil) }
        guard case .throttled = try await attempt("ana", "another horse", mark) else {
            Issue.record("the browser is known by the earlier password")
            return
        }
    }

    @Test func `a changed password ends the sessions, and a removed user's session is nobody's`() async throws {
        let fixture = try await DirectoryFixture()
        try await fixture.addUser("root", "admin")
        try await fixture.addUser("ana")
        let first = try #require(try await fixture.signIn("ana"))
        let before = fixture.control.generation
        try await fixture.directory.setPassword("another horse", of: "ana", by: .system)
        // Whoever looks at pages by one of these sessions is looked at anew.
        #expect(fixture.control.generation > before)
        #expect(fixture.request(session: first).authorization?.isAnonymous == true)
        #expect(try await fixture.signIn("ana") == nil)
        let second = try #require(try await fixture.signIn("ana", "another horse"))
        let held = try #require(fixture.request(session: second).authorization)
        try await fixture.directory.removeUser("ana", by: .system)
        #expect(fixture.control.current(held) == nil)
        #expect(fixture.request(session: second).authorization?.isAnonymous == true)
    }

    @Test func `another role counts for sessions that are there already`() async throws {
        let fixture = try await DirectoryFixture()
        try await fixture.addUser("ana", "viewer")
        let secret = try #require(try await fixture.signIn("ana"))
        let held = try #require(fixture.request(session: secret).authorization)
        #expect(!held.permissions.allows(.start, on: .operation("deploy")))
        try await fixture.directory.setRoles([StoredAssignment(role: "operator")], of: "ana", by: .system)
        #expect(fixture.control.current(held)?.permissions.allows(.start, on: .operation("deploy")) == true)
    }

    @Test func `the last administrator stays one`() async throws {
        let fixture = try await DirectoryFixture()
        try await fixture.addUser("root", "admin")
        try await fixture.addUser("ana")
        await #expect(throws: AccessError.self) { try await fixture.directory.removeUser("root", by: .system) }
        await #expect(throws: AccessError.self) {
            try await fixture.directory.setRoles([StoredAssignment(role: "viewer")], of: "root", by: .system)
        }
        try await fixture.directory.setRoles([StoredAssignment(role: "admin")], of: "ana", by: .system)
        try await fixture.directory.removeUser("root", by: .system)
    }

    @Test func `a password session means nothing where people come from elsewhere`() async throws {
        let storage = MemoryAccessStorage()
        let fixture = try await DirectoryFixture(storage: storage)
        try await fixture.addUser("ana")
        let secret = try #require(try await fixture.signIn("ana"))
        let other = try await DirectoryFixture(.oidc(prefix: "https://id.example#"), storage: storage)
        #expect(other.request(session: secret).authorization?.isAnonymous == true)
    }

    @Test func `a session of one identity provider means nothing where another one is asked`() async throws {
        let storage = MemoryAccessStorage()
        let fixture = try await DirectoryFixture(.oidc(prefix: "https://id.example#"), storage: storage)
        let ana = StoredPerson(name: "Ana", identity: "https://id.example#7", isUser: false, groups: ["ops"])
        let secret = try await fixture.directory.begin(ana, from: .none, replacing: nil)
        let authorization = try #require(fixture.request(session: secret).authorization)
        #expect(authorization.principal.key == "person:https://id.example#7")
        #expect(authorization.principal.groups == ["ops"])
        for prefix in ["https://id.example.evil#", "https://id.example/realm#"] {
            let other = try await DirectoryFixture(.oidc(prefix: prefix), storage: storage)
            #expect(other.request(session: secret).authorization?.isAnonymous == true)
        }
    }

    // MARK: Setting up

    @Test func `the code makes the first user once, an administrator who is signed in`() async throws {
        let fixture = try await DirectoryFixture()
        #expect(!fixture.directory.awaitsSetUp)
        let code = try #require(fixture.directory.makeSetUpCode())
        #expect(fixture.directory.awaitsSetUp)
        let secret = try await fixture.directory.setUp(
            code: code.uppercased(), name: "root", password: "correct horse", from: AuditOrigin(address: "127.0.0.1"))
        let authorization = try #require(fixture.request(session: secret).authorization)
        #expect(authorization.permissions.allows(.administer, on: .server))
        #expect(!fixture.directory.awaitsSetUp)
        #expect(fixture.directory.makeSetUpCode() == nil)
        await #expect(throws: AccessError.self) {
            try await fixture.directory.setUp(code: code, name: "eve", password: "correct horse", from: .none)
        }
    }

    @Test func `five wrong codes use it up, and so do fifteen minutes`() async throws {
        let fixture = try await DirectoryFixture()
        let code = try #require(fixture.directory.makeSetUpCode())
        for _ in 0..<5 {
            await #expect(throws: AccessError.self) {
                try await fixture.directory.setUp(code: "wrong", name: "root", password: "correct horse", from: .none)
            }
        }
        await #expect(throws: AccessError.self) {
            try await fixture.directory.setUp(code: code, name: "root", password: "correct horse", from: .none)
        }
        let late = try #require(fixture.directory.makeSetUpCode())
        fixture.advance(milliseconds: SetUpCode.lifetime + 1)
        await #expect(throws: AccessError.self) {
            try await fixture.directory.setUp(code: late, name: "root", password: "correct horse", from: .none)
        }
        #expect(fixture.directory.users.isEmpty)
    }

    @Test func `two who know the code at once make one user`() async throws {
        let fixture = try await DirectoryFixture()
        let code = try #require(fixture.directory.makeSetUpCode())
        let made = await withTaskGroup(of: Bool.self) { group in
            for name in ["ana", "bob", "eve", "kim"] {
                group.addTask {
                    do {
                        _ = try await fixture.directory.setUp(
                            code: code, name: name, password: "correct horse", from: .none)
                        return true
                    } catch { return false }
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(made == 1)
        #expect(fixture.directory.users.count == 1)
    }
}
