import Foundation
import Testing
import WeirStates

@testable import WeirAccess

/// Codes of an authenticator app after the password.
@Suite(.timeLimit(.minutes(15)))
struct SecondFactorTests {
    private static let origin = AuditOrigin(address: "192.0.2.1")

    /// A user's second factor, as the app and the paper with the recovery codes know it.
    private struct App {
        let secret: [UInt8]
        let recovery: [String]

        func code(at now: Int64, steps: Int64 = 0) -> String {
            TimeCode.code(secret, step: TimeCode.step(at: now) + steps)
        }
    }

    private func setUp(_ fixture: DirectoryFixture, _ name: String = "ana") async throws -> App {
        let session = try #require(try await fixture.signIn(name))
        let offer = fixture.directory.offerSecondFactor(to: name, session: session.hash)
        let secret = try #require(SealedText.content(of: offer.sealed).flatMap { Hex($0) }).bytes
        let code = TimeCode.code(secret, step: TimeCode.step(at: fixture.now))
        let recovery = try await fixture.directory.setUpSecondFactor(
            offer.sealed, code: code, password: "correct horse", of: name, session: session.hash, from: Self.origin,
            mark: nil)
        fixture.advance(milliseconds: TimeCode.period)
        return App(secret: secret, recovery: recovery)
    }

    /// The state of a sign-in after the right password.
    private func step(_ fixture: DirectoryFixture, from origin: AuditOrigin = origin) async throws -> String {
        let outcome = try await fixture.directory.signIn("ana", "correct horse", from: origin)
        guard case .asksCode(let step) = outcome else { throw AccessError(.wrong, "No code was asked for: \(outcome)") }
        return step
    }

    private func answer(
        _ fixture: DirectoryFixture, _ step: String, _ code: String, from origin: AuditOrigin = origin
    ) async throws -> String {
        switch try await fixture.directory.signIn(step: step, code: code, from: origin) {
        case .signedIn: "signed in"
        case .wrong: "wrong"
        case .expired: "expired"
        case .throttled: "throttled"
        case .busy, .asksCode: "other"
        }
    }

    @Test(
        arguments: [
            (59, "94287082"), (1_111_111_109, "07081804"), (1_111_111_111, "14050471"), (1_234_567_890, "89005924"),
            (2_000_000_000, "69279037"), (20_000_000_000, "65353130"),
        ] as [(Int64, String)])
    func `codes are those of RFC 6238`(second: Int64, code: String) {
        let secret = Array("12345678901234567890".utf8)
        #expect(TimeCode.code(secret, step: TimeCode.step(at: second * 1_000), digits: 8) == code)
        #expect(TimeCode.code(secret, step: TimeCode.step(at: second * 1_000)) == code.suffix(6))
    }

    @Test(arguments: [
        ("", ""), ("f", "MY"), ("fo", "MZXQ"), ("foo", "MZXW6"), ("foob", "MZXW6YQ"), ("fooba", "MZXW6YTB"),
        ("foobar", "MZXW6YTBOI"),
    ])
    func `base 32 is that of RFC 4648 without padding`(text: String, encoded: String) {
        #expect(Base32.text(Array(text.utf8)) == encoded)
    }

    @Test func `the right password begins no session before the code, and a code works once`() async throws {
        let fixture = try await DirectoryFixture()
        try await fixture.addUser("ana")
        let app = try await setUp(fixture)
        let sessions = fixture.directory.sessions().count
        let step = try await step(fixture)
        #expect(fixture.directory.sessions().count == sessions)
        let code = app.code(at: fixture.now)
        #expect(try await answer(fixture, step, code) == "signed in")
        #expect(try await answer(fixture, step, code) == "wrong")
        #expect(try await answer(fixture, step, app.code(at: fixture.now, steps: -1)) == "wrong")
        let details = try await fixture.entries(AuditFilter(action: .signIn)).map(\.detail)
        #expect(details.contains("with a code") && details.contains("wrong code"))
    }

    @Test(arguments: [(-2, "wrong"), (-1, "signed in"), (0, "signed in"), (1, "signed in"), (2, "wrong")])
    func `a clock can be one step off`(steps: Int64, expected: String) async throws {
        let fixture = try await DirectoryFixture()
        try await fixture.addUser("ana")
        let app = try await setUp(fixture)
        fixture.advance(milliseconds: 10 * TimeCode.period)
        #expect(try await answer(fixture, step(fixture), app.code(at: fixture.now, steps: steps)) == expected)
    }

    @Test func `a recovery code works once, as typed, and only its hash is stored`() async throws {
        let storage = MemoryAccessStorage()
        let fixture = try await DirectoryFixture(storage: storage)
        try await fixture.addUser("ana")
        let app = try await setUp(fixture)
        #expect(Set(app.recovery).count == 10)
        for record in try await storage.records() {
            let text = String(decoding: record.json, as: UTF8.self)
            for code in app.recovery { #expect(!text.contains(SecondFactorRecord.normalized(code))) }
        }
        let code = try #require(app.recovery.first)
        #expect(try await answer(fixture, step(fixture), " \(code.uppercased()) ") == "signed in")
        #expect(try await answer(fixture, step(fixture), code) == "wrong")
        #expect(fixture.directory.secondFactor(ofUser: "ana")?.recovery.count == 9)
        #expect(
            try await fixture.entries(AuditFilter(action: .signIn)).map(\.detail)
                .contains("with a recovery code; 9 left"))
    }

    @Test func `the step after the password ends with time, a new password, or the second factor`() async throws {
        let fixture = try await DirectoryFixture()
        try await fixture.addUser("ana")
        let app = try await setUp(fixture)
        for forged in ["", "x", "x.y.z", "616e61.9999999999999999.00"] {
            #expect(try await answer(fixture, forged, app.code(at: fixture.now)) == "expired")
        }
        let old = try await step(fixture)
        fixture.advance(milliseconds: AccessDirectory.stepLifetime)
        #expect(try await answer(fixture, old, app.code(at: fixture.now)) == "expired")
        let before = try await step(fixture)
        try await fixture.directory.setPassword("battery staple", of: "ana", by: .system)
        #expect(try await answer(fixture, before, app.code(at: fixture.now)) == "expired")
        try await fixture.directory.setPassword("correct horse", of: "ana", by: .system)
        let last = try await step(fixture)
        try await fixture.directory.removeSecondFactor(of: "ana", by: .system)
        #expect(try await answer(fixture, last, app.code(at: fixture.now)) == "expired")
        #expect(try await fixture.signIn("ana") != nil)
    }

    @Test func `wrong codes delay further ones, from every address, and the right password does not end this`()
        async throws
    {
        let fixture = try await DirectoryFixture()
        try await fixture.addUser("ana")
        let app = try await setUp(fixture)
        let step = try await step(fixture)
        for _ in 0..<5 { #expect(try await answer(fixture, step, "x") == "wrong") }
        let elsewhere = AuditOrigin(address: "198.51.100.7")
        #expect(try await answer(fixture, step, app.code(at: fixture.now), from: elsewhere) == "throttled")
        guard case .throttled = try await fixture.directory.signIn("ana", "correct horse", from: Self.origin) else {
            Issue.record("The password was checked.")
            return
        }
        fixture.advance(milliseconds: 2_000)
        _ = try await self.step(fixture)
        #expect(try await answer(fixture, step, "x") == "wrong")
        #expect(try await answer(fixture, step, app.code(at: fixture.now)) == "throttled")
        fixture.advance(milliseconds: 60_000)
        #expect(try await answer(fixture, step, app.code(at: fixture.now)) == "signed in")
    }

    @Test func `wrong codes from known browsers count together`() {
        var throttle = SignInThrottle()
        let waits = (0..<20).map { number in
            throttle.attemptCode(SignInAttempt(name: "ana", address: "192.0.2.1", browser: "b\(number)"), now: 0)
        }
        #expect(waits.first == .some(nil))
        #expect(waits.last != .some(nil))
    }

    @Test func `a session that has ended changes neither the password nor the second factor`() async throws {
        let fixture = try await DirectoryFixture()
        try await fixture.addUser("ana")
        let session = try #require(try await fixture.signIn("ana"))
        let app = try await setUp(fixture)
        try await fixture.directory.signOut(session, from: Self.origin)
        let password = await #expect(throws: AccessError.self) {
            _ = try await fixture.directory.changePassword(
                of: "ana", from: "correct horse", to: "another horse", origin: Self.origin, mark: nil, during: session)
        }
        #expect(password?.message == Message(AccessWording.wrongPassword))
        let factor = await #expect(throws: AccessError.self) {
            try await fixture.directory.removeOwnSecondFactor(
                of: "ana", code: app.code(at: fixture.now), from: Self.origin, mark: nil, during: session.hash)
        }
        #expect(factor?.message == Message(AccessWording.unknownSession))
        #expect(fixture.directory.secondFactor(ofUser: "ana") != nil)
    }

    @Test func `a second factor that cannot be read does not let the password alone sign in`() async throws {
        let storage = MemoryAccessStorage()
        let first = try await DirectoryFixture(storage: storage)
        try await first.addUser("ana")
        _ = try await setUp(first)
        let damaged = StoredRecord(kind: StoredKind.secondFactor.rawValue, id: "ana", json: Data("{}".utf8))
        let version = try #require(try await storage.news(since: nil)).version
        _ = try await storage.write([.put(damaged)], after: version)
        let second = try await DirectoryFixture(storage: storage)
        #expect(try await answer(second, step(second), "000000") == "wrong")
    }

    @Test func `a link for a password does not replace the code`() async throws {
        let fixture = try await DirectoryFixture()
        try await fixture.addUser("ana")
        let app = try await setUp(fixture)
        let link = try await fixture.directory.makePasswordLink(of: "ana", hours: 1, by: .system)
        let (outcome, _) = try await fixture.directory.setPassword(
            "battery staple", byLink: link.secret.text, from: Self.origin, replacing: nil)
        guard case .asksCode(let step) = outcome else {
            Issue.record("The link began a session.")
            return
        }
        #expect(fixture.directory.sessions().isEmpty)
        #expect(try await answer(fixture, step, app.code(at: fixture.now)) == "signed in")
    }

    @Test func `a secret is in force after its own session confirms it with the password and a code`() async throws {
        let fixture = try await DirectoryFixture()
        let directory = fixture.directory
        try await fixture.addUser("ana")
        let (session, other) = (
            try #require(try await fixture.signIn("ana")), try #require(try await fixture.signIn("ana"))
        )
        let offer = directory.offerSecondFactor(to: "ana", session: session.hash)
        let secret = try #require(SealedText.content(of: offer.sealed).flatMap { Hex($0) }).bytes
        let code = TimeCode.code(secret, step: TimeCode.step(at: fixture.now))
        for (session, code, password, wording) in [
            (other, code, "correct horse", .secondFactorOffer), (session, "000", "correct horse", .wrongSecondFactor),
            (session, code, "wrong horse", .wrongPassword),
        ] as [(SecretText, String, String, AccessWording)] {
            await #expect(throws: AccessError(.invalid, wording)) {
                try await directory.setUpSecondFactor(
                    offer.sealed, code: code, password: password, of: "ana", session: session.hash,
                    from: Self.origin, mark: nil)
            }
        }
        #expect(directory.secondFactor(ofUser: "ana") == nil)
        #expect(offer.uri(name: "ana", server: "Weir a:1").hasPrefix("otpauth://totp/Weir%20a%3A1:ana?secret="))
        _ = try await setUp(fixture)
        for session in [session, other] {
            #expect(fixture.request(session: session).authorization?.isAnonymous == false)
        }
        #expect(
            try await fixture.entries(AuditFilter(action: .secondFactor, outcome: .done)).map(\.detail)
                == ["before: none; after: set up"])
    }

    @Test func `a code replaces the recovery codes, and removes the second factor`() async throws {
        let fixture = try await DirectoryFixture()
        let directory = fixture.directory
        try await fixture.addUser("ana")
        let app = try await setUp(fixture)
        await #expect(throws: AccessError(.invalid, .wrongSecondFactor)) {
            try await directory.removeOwnSecondFactor(of: "ana", code: "x", from: Self.origin, mark: nil)
        }
        let codes = try await directory.renewRecoveryCodes(
            of: "ana", code: app.code(at: fixture.now), from: Self.origin, mark: nil)
        #expect(codes.count == 10 && Set(codes).isDisjoint(with: app.recovery))
        #expect(try await answer(fixture, step(fixture), try #require(app.recovery.first)) == "wrong")
        try await directory.removeOwnSecondFactor(
            of: "ana", code: try #require(codes.first), from: Self.origin, mark: nil)
        #expect(try await fixture.signIn("ana") != nil)
        #expect(
            try await fixture.entries(AuditFilter(action: .secondFactor)).compactMap(\.detail).first
                == "before: set up; after: none")
    }

    @Test func `another server on the storage asks for the code, and accepts no code twice`() async throws {
        let storage = MemoryAccessStorage()
        let clock = StoppedClock()
        let one = try await DirectoryFixture(storage: storage, clock: clock)
        let other = try await DirectoryFixture(storage: storage, clock: clock)
        try await one.addUser("ana")
        let app = try await setUp(one)
        await other.directory.lookUp()
        let step = try await step(other)
        let code = app.code(at: clock.now)
        #expect(try await answer(one, step, code) == "signed in")
        #expect(try await answer(other, step, code) == "wrong")
    }

    @Test func `a later user with the same name does not inherit a second factor`() async throws {
        let storage = MemoryAccessStorage()
        let fixture = try await DirectoryFixture(storage: storage)
        try await fixture.addUser("root", "admin")
        try await fixture.addUser("ana")
        _ = try await setUp(fixture)
        let factor = try #require(fixture.directory.secondFactor(ofUser: "ana"))
        try await fixture.directory.removeUser("ana", by: .system)
        // An earlier version leaves the record.
        _ = try await storage.write([.put(factor)], after: storage.version)
        fixture.advance(milliseconds: 1)
        try await fixture.addUser("ana")
        #expect(try await fixture.signIn("ana") != nil)
    }

    @Test func `a role can require a second factor, and gives no right before it is set up`() async throws {
        let rules = AccessRules(grants: [RoleGrant("admin", to: [.user("bob")])])
        let fixture = try await DirectoryFixture(rules: rules, change: { $0.secondFactorRoles = ["admin"] })
        for (name, role) in [("ana", "admin"), ("bob", "viewer"), ("eva", "viewer")] {
            try await fixture.addUser(name, role)
        }
        for (name, duty) in [("ana", .setUpSecondFactor), ("bob", .setUpSecondFactor), ("eva", nil)]
            as [(String, Principal.Duty?)]
        {
            let session = try #require(try await fixture.signIn(name))
            let authorization = try #require(fixture.request(session: session).authorization)
            #expect(authorization.principal.duty == duty)
            #expect(authorization.permissions.allowsAnywhere(.see) == (duty == nil), "\(name)")
        }
        let session = try #require(try await fixture.signIn("ana"))
        let held = try #require(fixture.request(session: session).authorization)
        _ = try await setUp(fixture)
        #expect(fixture.control.current(held)?.permissions.allowsEverywhere(.administer) == true)
        try await fixture.directory.removeSecondFactor(of: "ana", by: .system)
        #expect(fixture.control.current(held)?.principal.duty == .setUpSecondFactor)
    }
}
