import Testing
import WeirAccess
import WeirStates

@testable import WeirCommand

@Suite(.timeLimit(.minutes(15))) struct LogoutTokenTests {
    private static let now: Int64 = 1_800_000_000_000
    private static let check = LogoutTokenCheck(issuer: "https://id.example", clientID: "weir", leeway: 60_000)
    private static let good: JSONValue = [
        "iss": "https://id.example", "aud": "weir", "sub": "7", "sid": "s1", "jti": "j1", "iat": 1_800_000_000,
        "exp": 1_800_000_120, "events": ["http://schemas.openid.net/event/backchannel-logout": [:]],
    ]

    private func changed(_ changes: [String: JSONValue?]) -> JSONValue {
        var members = Self.good.object ?? [:]
        for (name, value) in changes { members[name] = value }
        return .object(members)
    }

    @Test func `a logout token names a subject, a session, or both`() throws {
        let both = try Self.check.signOut(of: Self.good, now: Self.now)
        #expect(both.id == "j1" && both.subject == "7" && both.session == "s1")
        let session = try Self.check.signOut(of: changed(["sub": .some(nil)]), now: Self.now)
        #expect(session.subject == nil && session.session == "s1")
    }

    @Test(
        arguments: [
            ["iss": "https://other.example"], ["aud": "other"], ["iat": 1_800_000_900], ["exp": 1_799_999_000],
            ["events": [:]], ["events": ["http://schemas.openid.net/event/backchannel-logout": "x"]], ["nonce": "n1"],
            ["jti": ""], ["jti": 5], ["iat": 1_799_990_000],
        ] as [[String: JSONValue]])
    func `a token for another issuer, client, time or purpose is refused`(changes: [String: JSONValue]) {
        #expect(throws: IdentityProviderError.self) {
            _ = try Self.check.signOut(of: changed(changes.mapValues { .some($0) }), now: Self.now)
        }
    }

    @Test(arguments: [["sub", "sid"], ["jti"], ["iat"], ["exp"], ["events"]])
    func `a token that lacks a claim is refused`(names: [String]) {
        let changes = Dictionary(names.map { ($0, JSONValue?.none) }) { first, _ in first }
        #expect(throws: IdentityProviderError.self) {
            _ = try Self.check.signOut(of: changed(changes), now: Self.now)
        }
    }

    @Test func `an ID token is no logout token, and a logout token is no ID token`() {
        let identity: JSONValue = [
            "iss": "https://id.example", "aud": "weir", "sub": "7", "nonce": "n1", "iat": 1_800_000_000,
            "exp": 1_800_000_300, "jti": "j1",
        ]
        #expect(throws: IdentityProviderError.self) { _ = try Self.check.signOut(of: identity, now: Self.now) }
        let signIn = IDTokenCheck(issuer: "https://id.example", clientID: "weir", nonce: "n1", leeway: 60_000)
        #expect(throws: IdentityProviderError.self) { _ = try signIn.subject(of: Self.good, now: Self.now) }
    }

    @Test func `a logout token is accepted once`() {
        var used = UsedLogoutTokens()
        let accepted = [used.use("a", now: 0), used.use("b", now: 1), used.use("a", now: 2)]
        #expect(accepted == [true, true, false])
    }
}
