import Crypto
import Foundation
import Testing
@testable import WeirAccess
import WeirStates

@testable import WeirCommand

@Suite(.timeLimit(.minutes(15))) struct OpenIDProviderTests {
    @Test func `a browser is sent with all that holds the answer to it, and comes back as a person`() async throws {
        let trial = try await SignInTrial()
        let (sent, cookie) = try await trial.begin()
        #expect(sent["tenant"] == "1")
        #expect(sent["response_type"] == "code" && sent["client_id"] == "weir" && sent["scope"] == "openid profile")
        #expect(sent["redirect_uri"] == "https://weir.example/sign-in/return")
        #expect(sent["code_challenge_method"] == "S256")
        try await trial.answer(nonce: try #require(sent["nonce"]))
        let signIn = try await trial.server.complete(
            ["state": try #require(sent["state"]), "code": "c1"], secret: cookie, from: nil)
        #expect(signIn.person.identity == "https://id.example#7")
        #expect(signIn.person.name == "Ana" && signIn.person.groups == ["ops"] && !signIn.person.isUser)
        #expect(signIn.back == "/runs" && signIn.hasGroups)
        let request = try #require(trial.provider.requests.last { $0.url.hasSuffix("/token") })
        let form = Dictionary(request.form ?? []) { $1 }
        #expect(form["redirect_uri"] == "https://weir.example/sign-in/return" && form["code"] == "c1")
        let verifier = try #require(form["code_verifier"])
        #expect(Base64URL.encode(SHA256.hash(data: Data(verifier.utf8))) == sent["code_challenge"])
        #expect(form["client_secret"] == nil)
        let basic = try #require(request.authorization?.dropFirst(6))
        #expect(Data(base64Encoded: String(basic)).map { String(decoding: $0, as: UTF8.self) } == "weir:s3cr%3At%2B%26")
    }

    // MARK: Forged returns

    @Test func `a return is good once, for ten minutes, and only in the browser that began it`() async throws {
        let trial = try await SignInTrial()
        let (sent, cookie) = try await trial.begin()
        let (other, _) = try await trial.begin()
        try await trial.answer(nonce: try #require(sent["nonce"]))
        let state = try #require(sent["state"])
        func complete(_ state: String?, _ cookie: String?) async throws {
            _ = try await trial.server.complete(
                ["code": "c1"].merging(state.map { ["state": $0] } ?? [:]) { $1 }, secret: cookie, from: nil)
        }
        for (state, cookie) in [
            (state, nil), (state, ""), (nil, cookie), ("", cookie), (other["state"], cookie), (state, "x" + cookie),
            (state, String(cookie.dropLast())), (state, String(repeating: "A", count: 200)),
        ] as [(String?, String?)] {
            #expect(await trial.failure { try await complete(state, cookie) } == .stale)
        }
        #expect(trial.provider.count("https://id.example/token") == 0)
        try await complete(state, cookie)
        #expect(await trial.failure { try await complete(state, cookie) } == .stale)
        let (late, lateCookie) = try await trial.begin()
        trial.provider.advance(milliseconds: 600_001)
        #expect(await trial.failure { try await complete(late["state"], lateCookie) } == .stale)
    }

    @Test func `a browser comes back to another server with the same key, and to none with another key`() async throws {
        let one = try await SignInTrial(seal: "key")
        let (same, foreign) = (
            try await SignInTrial(seal: "key", beside: one), try await SignInTrial(seal: "other", beside: one)
        )
        let (sent, cookie) = try await one.begin()
        try await one.answer(nonce: try #require(sent["nonce"]))
        let parameters = ["state": try #require(sent["state"]), "code": "c1"]
        #expect(
            await foreign.failure { _ = try await foreign.server.complete(parameters, secret: cookie, from: nil) }
                == .stale)
        let signIn = try await same.server.complete(parameters, secret: cookie, from: nil)
        #expect(signIn.person.identity == "https://id.example#7" && signIn.back == "/runs")
    }

    @Test func `a state of another process is not taken`() async throws {
        let (trial, other) = (try await SignInTrial(), try await SignInTrial())
        let (sent, cookie) = try await other.begin()
        let failure = await trial.failure {
            _ = try await trial.server.complete(["state": sent["state"] ?? "", "code": "c"], secret: cookie, from: nil)
        }
        #expect(failure == .stale)
    }

    @Test func `a token that was made for another sign-in is refused`() async throws {
        let trial = try await SignInTrial()
        let (sent, cookie) = try await trial.begin()
        let (other, _) = try await trial.begin()
        try await trial.answer(nonce: try #require(other["nonce"]))
        let failure = await trial.failure {
            _ = try await trial.server.complete(["state": sent["state"] ?? "", "code": "c"], secret: cookie, from: nil)
        }
        #expect(failure == .failed)
    }

    @Test func `an answer of another issuer is refused, and one without where the provider always names it`()
        async throws
    {
        for (isNamed, issuer) in [(true, nil), (true, "https://evil.example"), (false, "https://evil.example")]
            as [(Bool, String?)]
        {
            let trial = try await SignInTrial()
            trial.provider.set("authorization_response_iss_parameter_supported", .bool(isNamed))
            let (sent, cookie) = try await trial.begin()
            try await trial.answer(nonce: try #require(sent["nonce"]))
            var parameters = ["state": try #require(sent["state"]), "code": "c"]
            parameters["iss"] = issuer
            #expect(
                await trial.failure { _ = try await trial.server.complete(parameters, secret: cookie, from: nil) }
                    == .failed)
        }
    }

    // MARK: Mistakes

    @Test(arguments: [
        ("https://id.example/", IdentityProviderError.Kind.issuer), ("https://evil.example", .issuer), ("", .issuer),
    ])
    func `a provider that calls itself otherwise is not asked for anything`(
        issuer: String, kind: IdentityProviderError.Kind
    )
        async throws
    {
        let trial = try await SignInTrial()
        trial.provider.set("issuer", .string(issuer))
        #expect(await trial.failure { _ = try await trial.begin() } == kind)
    }

    @Test(arguments: ["http://id.example/token", "https://user@id.example/token", "javascript:alert(1)", "/token", ""])
    func `an endpoint that is no https URL is refused`(url: String) async throws {
        let trial = try await SignInTrial()
        trial.provider.set("token_endpoint", .string(url))
        #expect(await trial.failure { _ = try await trial.begin() } == .failed)
    }

    @Test(arguments: [
        (401, "invalid_client", "", IdentityProviderError.Kind.client), (400, "invalid_client", "", .client),
        (401, "", "", .client),
        (400, "invalid_grant", "redirect_uri does not match", .redirect), (400, "redirect_uri_mismatch", "", .redirect),
        (400, "invalid_grant", "code expired", .failed), (503, "", "", .unreachable), (404, "", "", .failed),
    ])
    func `what the token endpoint refuses is said in the right words`(
        status: Int, code: String, text: String, kind: IdentityProviderError.Kind
    ) async throws {
        let trial = try await SignInTrial()
        let (sent, cookie) = try await trial.begin()
        trial.provider.answerTokens(status, ["error": .string(code), "error_description": .string(text)])
        let error = await #expect(throws: IdentityProviderError.self) {
            try await trial.server.complete(["state": sent["state"] ?? "", "code": "c0de"], secret: cookie, from: nil)
        }
        #expect(error?.kind == kind)
        #expect(error?.description.contains("c0de") == false && error?.description.contains("s3cr") == false)
    }

    @Test func `a redirect of the token endpoint is not followed`() async throws {
        let trial = try await SignInTrial()
        let (sent, cookie) = try await trial.begin()
        trial.provider.answerTokens(ProviderAnswer(status: 307, body: Data(), location: "https://evil.example/token"))
        let failure = await trial.failure {
            _ = try await trial.server.complete(["state": sent["state"] ?? "", "code": "c"], secret: cookie, from: nil)
        }
        #expect(failure == .failed)
        #expect(trial.provider.requests.allSatisfy { $0.url.hasPrefix("https://id.example/") })
    }

    @Test func `what the provider says of a refusal counts only with the right state`() async throws {
        let trial = try await SignInTrial()
        let (sent, cookie) = try await trial.begin()
        let forged = await trial.failure {
            _ = try await trial.server.complete(["error": "access_denied", "state": "x"], secret: cookie, from: nil)
        }
        #expect(forged == .stale)
        let denied = await trial.failure {
            _ = try await trial.server.complete(
                ["error": "access_denied", "state": sent["state"] ?? ""], secret: cookie, from: nil)
        }
        #expect(denied == .denied)
    }

    @Test func `a token from a clock that is off is said to be that`() async throws {
        let trial = try await SignInTrial()
        let seconds = trial.provider.now / 1_000
        #expect(await trial.failure { _ = try await trial.signIn(["iat": .integer(seconds + 3_600)]) } == .clock)
        #expect(await trial.failure { _ = try await trial.signIn(["exp": .integer(seconds - 3_600)]) } == .clock)
    }

    // MARK: People

    @Test func `a name is shown and never decides who somebody is`() async throws {
        let trial = try await SignInTrial()
        #expect(try await trial.signIn(["name": "Ana\u{202E}", "preferred_username": "ana"]).person.name == "ana")
        #expect(try await trial.signIn(["name": nil]).person.name == "7")
        #expect(try await trial.signIn(["name": "Bob"]).person.identity == "https://id.example#7")
    }

    @Test func `groups that are absent are told from groups that are none`() async throws {
        let trial = try await SignInTrial()
        #expect(try await trial.signIn(["groups": []]).hasGroups)
        #expect(try await !trial.signIn(["groups": nil]).hasGroups)
        let nested = try await SignInTrial { $0.groupsClaim = ClaimPath("realm_access.roles") }
        let person = try await nested.signIn(["realm_access": ["roles": ["b", "a", "a", "x\ny", ""]]]).person
        #expect(person.groups == ["a", "b"])
        let many = try await trial.signIn(["groups": .array((0..<5_000).map { .string("g\($0)") })])
        #expect(many.person.groups.count == ProviderSignIn.maximumGroups)
    }

    // MARK: Keys

    @Test func `a key that was changed is fetched again, and one that nobody knows at most once a minute`() async throws
    {
        let trial = try await SignInTrial()
        let (next, stranger) = (try await SigningKey(.es256, keyID: "k2"), try await SigningKey(.es256, keyID: "k3"))
        _ = try await trial.signIn()
        trial.provider.advance(milliseconds: 60_000)
        trial.provider.publish([next])
        _ = try await trial.signIn(key: next)
        #expect(trial.provider.count("https://id.example/keys") == 2)
        for _ in 0..<5 {
            #expect(await trial.failure { _ = try await trial.signIn(key: stranger) } == .failed)
        }
        #expect(trial.provider.count("https://id.example/keys") == 2)
        trial.provider.advance(milliseconds: 60_000)
        #expect(await trial.failure { _ = try await trial.signIn(key: stranger) } == .failed)
        #expect(trial.provider.count("https://id.example/keys") == 3)
        #expect(await trial.failure { _ = try await trial.signIn(key: trial.key) } == .failed)
    }

    // MARK: A provider that is down

    @Test func `a provider that is down is said to be, asked less and less often, and used when it is back`()
        async throws
    {
        let trial = try await SignInTrial()
        let discovery = "https://id.example/.well-known/openid-configuration"
        trial.provider.set(isDown: true)
        for _ in 0..<3 { #expect(await trial.failure { _ = try await trial.begin() } == .unreachable) }
        #expect(trial.provider.count(discovery) == 1)
        trial.provider.advance(milliseconds: 1_000)
        #expect(await trial.failure { _ = try await trial.begin() } == .unreachable)
        #expect(trial.provider.count(discovery) == 2)
        trial.provider.advance(milliseconds: 1_999)
        #expect(await trial.failure { _ = try await trial.begin() } == .unreachable)
        #expect(trial.provider.count(discovery) == 2)
        trial.provider.set(isDown: false)
        trial.provider.advance(milliseconds: 1)
        #expect(try await trial.signIn().person.name == "Ana")
    }

    @Test func `a provider that goes down later is noticed at the next sign-in after a minute`() async throws {
        let trial = try await SignInTrial()
        _ = try await trial.begin()
        trial.provider.set(isDown: true)
        trial.provider.advance(milliseconds: 60_001)
        #expect(await trial.failure { _ = try await trial.begin() } == .unreachable)
    }

    @Test func `a sign-out leads to the provider's own if it has one`() async throws {
        let trial = try await SignInTrial()
        #expect(await trial.server.signOutURL() == nil)
        _ = try await trial.begin()
        #expect(
            await trial.server.signOutURL()
                == "https://id.example/logout?client_id=weir&post_logout_redirect_uri=https%3A%2F%2Fweir.example%2Fsign-in"
        )
        trial.provider.advance(milliseconds: 60_001)
        trial.provider.set("end_session_endpoint", nil)
        _ = try await trial.begin()
        #expect(await trial.server.signOutURL() == nil)
    }

    @Test func `waits between fetches grow to half a minute, whatever happens to the clock`() {
        var schedule = FetchSchedule(freshFor: 100, interval: 10)
        #expect(schedule.mayFetch(now: 0) && !schedule.isFresh(now: 0))
        #expect((0..<8).map { schedule.fail(now: $0) } == [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000])
        #expect(!schedule.mayFetch(now: 7) && schedule.mayFetch(now: -5) && schedule.mayFetch(now: 40_000))
        schedule.succeed(now: 50_000)
        #expect(schedule.isFresh(now: 50_099) && !schedule.isFresh(now: 50_100) && !schedule.isFresh(now: 49_999))
        #expect(!schedule.mayFetch(now: 50_009) && schedule.mayFetch(now: 50_010))
        #expect(schedule.fail(now: 60_000) == 1_000)
    }

    @Test(arguments: [
        "http://id.example", "ftp://id.example", "https://", "https://a:b@id.example", "https://id.example/#x",
        "id.example", "https://id.example/\n", "https://id example", "", "https://id.example:65536/t",
        "https://127.0.0.1:0", "https://127.0.0.1:99999999999999999999", "http://[::1]:65536",
    ])
    func `what a secret must not be sent to is no provider`(text: String) { #expect(ProviderURL(text) == nil) }

    @Test func `a provider on this machine may be asked without encryption`() {
        for text in [
            "http://127.0.0.1:9400", "http://localhost:9400/realms/x", "http://[::1]:1", "https://id.internal:8443/x",
        ] {
            #expect(ProviderURL(text) != nil, "\(text)")
        }
    }
}
