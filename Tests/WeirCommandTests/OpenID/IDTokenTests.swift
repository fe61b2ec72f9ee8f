import Crypto
import Foundation
import JWTKit
import Testing
import WeirAccess
import WeirStates

@testable import WeirCommand

@Suite(.timeLimit(.minutes(15))) struct IDTokenTests {
    private static let now: Int64 = 1_800_000_000_000
    private static let check = IDTokenCheck(
        issuer: "https://id.example", clientID: "weir", nonce: "n1", leeway: 60_000)
    private static let good: JSONValue = [
        "iss": "https://id.example", "aud": "weir", "sub": "7", "nonce": "n1", "iat": 1_800_000_000,
        "exp": 1_800_000_300,
    ]

    private func changed(_ name: String, _ value: JSONValue?) -> JSONValue {
        var members = Self.good.object ?? [:]
        members[name] = value
        return .object(members)
    }

    private func claims(_ text: String, _ keys: [SigningKey]) async throws -> JSONValue {
        let token = try IDToken(text)
        let set = try ProviderKeys(["keys": .array(keys.map(\.published))])
        return try await token.claims(signedBy: set.keys(for: token.header))
    }

    // MARK: Signatures

    @Test(arguments: SigningKey.Kind.allCases)
    func `a token that a published key has signed is good`(kind: SigningKey.Kind) async throws {
        let key = try await SigningKey(kind)
        let claims = try await claims(try await key.token(Self.good), [key])
        #expect(try Self.check.subject(of: claims, now: Self.now) == "7")
    }

    @Test func `a token that names no key is good if one of the published keys has signed it`() async throws {
        let (key, other) = (try await SigningKey(.es256), try await SigningKey(.es256, keyID: "k2"))
        let text = try await key.token(Self.good, namesKey: false)
        #expect(try await claims(text, [other, key]) == Self.good)
        await #expect(throws: IdentityProviderError.self) { try await claims(text, [other]) }
    }

    @Test func `a token without a signature is refused, however none is written`() throws {
        for name in ["none", "None", "NONE", "", "nOnE"] {
            let text = try SigningKey.forged(header: ["alg": .string(name), "kid": "k1"], claims: Self.good)
            #expect(throws: IdentityProviderError.self) { try IDToken(text) }
        }
        let nameless = try SigningKey.forged(header: ["kid": "k1"], claims: Self.good)
        #expect(throws: IdentityProviderError.self) { try IDToken(nameless) }
    }

    @Test func `the public key is never taken for a shared secret`() async throws {
        let key = try await SigningKey(.rs256)
        let modulus = try #require(key.published["n"]?.string)
        for secret in [modulus, try key.published.text()] {
            let signers = JWTKeyCollection()
            await signers.add(hmac: HMACKey(from: secret), digestAlgorithm: .sha256, kid: "k1")
            let text = try await signers.sign(TestClaims(members: Self.good), kid: "k1")
            #expect(throws: IdentityProviderError.self) { try IDToken(text) }
        }
    }

    @Test func `a key of one kind does not serve for an algorithm of another`() async throws {
        let (rsa, ec) = (try await SigningKey(.rs256), try await SigningKey(.es256))
        let token = try IDToken(try await rsa.token(Self.good))
        let set = try ProviderKeys(["keys": [ec.published]])
        #expect(set.keys(for: token.header).isEmpty)
        // RS256 is what the key is for; PS256 with the same key is another algorithm.
        let pss = try IDToken(
            try SigningKey.forged(header: ["alg": "PS256", "kid": "k1"], claims: Self.good, signature: "AAAA"))
        #expect(try ProviderKeys(["keys": [rsa.published]]).keys(for: pss.header).isEmpty)
    }

    @Test func `a token of another key is refused, with the right kid and with a wrong one`() async throws {
        let (key, other) = (try await SigningKey(.es256), try await SigningKey(.es256))
        let stranger = try await SigningKey(.es256, keyID: "k2")
        for text in [try await other.token(Self.good), try await stranger.token(Self.good)] {
            await #expect(throws: IdentityProviderError.self) { try await claims(text, [key]) }
        }
    }

    @Test func `a token whose claims were changed after it was signed is refused`() async throws {
        let key = try await SigningKey(.es256)
        let parts = try await key.token(Self.good).split(separator: ".").map(String.init)
        let claims = Base64URL.encode(Data(try changed("sub", "1").text().utf8))
        await #expect(throws: IdentityProviderError.self) {
            try await self.claims(
                [try #require(parts.first), claims, try #require(parts.last)].joined(separator: "."), [key])
        }
    }

    @Test(arguments: ["", ".", "..", "a.b.c", "e30.e30.", "e30.e30", "\u{0}", "e30.e30.e30.e30"])
    func `what is no token is refused`(text: String) {
        #expect(throws: IdentityProviderError.self) { try IDToken(text) }
    }

    @Test func `a token that demands an extension, or is longer than any, is refused`() throws {
        let critical = try SigningKey.forged(
            header: ["alg": "RS256", "crit": ["b64"], "b64": false], claims: Self.good)
        #expect(throws: IdentityProviderError.self) { try IDToken(critical) }
        let long = try SigningKey.forged(
            header: ["alg": "RS256"], claims: changed("x", .string(String(repeating: "x", count: 70_000))))
        #expect(throws: IdentityProviderError.self) { try IDToken(long) }
    }

    @Test(arguments: [100, 500, 10_000])
    func `claims within claims without end are refused, or read`(depth: Int) async throws {
        let nested = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        let parts = [#"{"alg":"RS256"}"#, "{\"x\":\(nested)}"].map { Base64URL.encode(Data($0.utf8)) }
        let token = try? IDToken(parts.joined(separator: ".") + ".AAAA")
        #expect(token == nil || depth <= 500)
    }

    @Test func `keys of kinds that are unknown here, or that encrypt, are left out of the set`() async throws {
        let key = try await SigningKey(.es256)
        let foreign: [JSONValue] = [
            ["kty": "oct", "k": "c2VjcmV0", "kid": "k1"],
            ["kty": "RSA", "use": "enc", "kid": "k1", "n": "AQ", "e": "AQ"],
            ["kty": "RSA", "alg": "RSA-OAEP-256", "kid": "k1"], [:], "key",
        ]
        let set = try ProviderKeys(["keys": .array(foreign + [key.published])])
        let token = try IDToken(try await key.token(Self.good))
        #expect(set.keys(for: token.header).count == 1)
        #expect(throws: IdentityProviderError.self) { try ProviderKeys(["keys": .array(foreign)]) }
        #expect(throws: IdentityProviderError.self) { try ProviderKeys([:]) }
    }

    // MARK: Claims

    private static let wrong: [(String, JSONValue?, IdentityProviderError.Kind)] = [
        ("iss", "https://id.example/", .issuer), ("iss", "https://evil.example", .issuer),
        ("iss", nil, .issuer), ("iss", ["https://id.example"], .issuer), ("aud", "other", .failed),
        ("aud", nil, .failed),
        ("aud", [], .failed), ("aud", ["weir", "other"], .failed), ("azp", "other", .failed), ("azp", 7, .failed),
        ("nonce", "n2", .failed), ("nonce", nil, .failed), ("sub", "", .failed), ("sub", nil, .failed),
        ("sub", 7, .failed),
        ("sub", "a\nb", .failed), ("exp", nil, .failed), ("exp", "1800000300", .failed), ("exp", 1_799_999_940, .clock),
        ("exp", -9_007_199_254_740_993, .clock), ("iat", nil, .failed), ("iat", 1_800_000_061, .clock),
        ("iat", 1e300, .clock), ("nbf", 1_800_000_061, .clock), ("nbf", "soon", .clock),
    ]

    @Test(arguments: wrong)
    func `a claim that is not as it must be is refused`(
        name: String, value: JSONValue?, kind: IdentityProviderError.Kind
    ) {
        let error = #expect(throws: IdentityProviderError.self) {
            try Self.check.subject(of: changed(name, value), now: Self.now)
        }
        #expect(error?.kind == kind)
    }

    @Test func `clocks may differ a little`() throws {
        for (name, value) in [("exp", 1_799_999_941), ("iat", 1_800_000_060), ("nbf", 1_800_000_060)] {
            let claims = changed(name, .integer(Int64(value)))
            #expect(try Self.check.subject(of: claims, now: Self.now) == "7")
        }
    }

    @Test func `a token for several audiences is good if it was given to this server`() throws {
        var members = Self.good.object ?? [:]
        members["aud"] = ["weir", "api"]
        members["azp"] = "weir"
        #expect(try Self.check.subject(of: .object(members), now: Self.now) == "7")
    }

    @Test func `a claim is found by its whole name, or by the names on the way to it`() {
        let claims: JSONValue = [
            "groups": ["a", 7, "b"], "realm_access": ["roles": ["c"]], "https://id.example/groups": "d", "empty": nil,
        ]
        #expect(ClaimPath("groups").texts(in: claims) == ["a", "b"])
        #expect(ClaimPath("realm_access.roles").texts(in: claims) == ["c"])
        #expect(ClaimPath("https://id.example/groups").texts(in: claims) == ["d"])
        #expect(ClaimPath("realm_access").texts(in: claims) == nil)
        #expect(ClaimPath("realm_access.none.deeper").texts(in: claims) == nil)
        #expect(ClaimPath("empty").texts(in: claims) == nil)
    }
}
