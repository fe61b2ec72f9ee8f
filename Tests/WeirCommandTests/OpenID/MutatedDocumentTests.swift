import Foundation
import Testing
import WeirAccess
import WeirStates

@testable import WeirCommand

/// Numbers that look like chance, and are the same every time.
private struct Numbers: RandomNumberGenerator {
    var state: UInt64 = 20_261_122

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ state >> 29
    }
}

/// Documents and tokens of a provider with a few bytes changed: nothing ends the process, is believed, or is refused without words.
@Suite(.timeLimit(.minutes(15)))
struct MutatedDocumentTests {
    private static let rounds = 3_000
    private static let claims: JSONValue = [
        "iss": "https://id.example", "aud": "weir", "sub": "7", "nonce": "n1", "iat": 1_800_000_000,
        "exp": 1_800_000_300,
    ]
    private static let check = IDTokenCheck(
        issuer: "https://id.example", clientID: "weir", nonce: "n1", leeway: 60_000)

    /// The text with one to four bytes changed, left out, put in, or repeated.
    private func mutated(_ text: String, _ numbers: inout Numbers) -> String {
        var bytes = Array(text.utf8)
        for _ in 0..<Int.random(in: 1...4, using: &numbers) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &numbers)
            switch Int.random(in: 0..<6, using: &numbers) {
            case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &numbers)
            case 1: bytes[place] = UInt8.random(in: .min ... .max, using: &numbers)
            case 2: bytes.remove(at: place)
            case 3: bytes.insert(Array("\"{}[],:.-0e9=\\".utf8).randomElement(using: &numbers) ?? 0, at: place)
            case 4: bytes.removeSubrange(place...)
            default: bytes.insert(contentsOf: bytes[place...].prefix(40), at: place)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func expectWords(_ error: IdentityProviderError, _ text: String) {
        #expect(!error.description.isEmpty && error.description.utf8.count < 2_000, "\(text)")
    }

    @Test func `a token with other bytes than were signed says nothing`() async throws {
        var numbers = Numbers()
        let key = try await SigningKey(.es256)
        let keys = try ProviderKeys(["keys": [key.published]])
        let good = try await key.token(Self.claims)
        for _ in 0..<Self.rounds {
            let text = mutated(good, &numbers)
            do {
                let token = try IDToken(text)
                let claims = try await token.claims(signedBy: keys.keys(for: token.header))
                // Only the bits at the end of base 64 that stand for nothing can differ.
                #expect(claims == Self.claims, "\(text)")
            } catch {
                expectWords(error, text)
            }
        }
    }

    @Test func `claims that are not right are refused in words, whatever they are`() throws {
        var numbers = Numbers()
        let good = try Self.claims.text()
        for _ in 0..<Self.rounds {
            let text = mutated(good, &numbers)
            guard let claims = try? JSONValue(parsing: text) else { continue }
            do {
                _ = try Self.check.subject(of: claims, now: 1_800_000_100_000)
                #expect(claims["iss"] == "https://id.example" && claims["nonce"] == "n1", "\(text)")
                #expect((claims["exp"]?.number ?? 0) > 1_800_000_040, "\(text)")
            } catch {
                expectWords(error, text)
            }
        }
    }

    @Test func `a set of keys that was changed has signed nothing but what was signed`() async throws {
        var numbers = Numbers()
        let (key, other) = (try await SigningKey(.es256), try await SigningKey(.rs256, keyID: "k2"))
        let token = try IDToken(try await key.token(Self.claims))
        let forged = try IDToken(try await SigningKey(.es256).token(Self.claims))
        let set = JSONValue.object(["keys": [key.published, other.published]])
        let good = try set.text()
        for _ in 0..<Self.rounds {
            let text = mutated(good, &numbers)
            guard let document = try? JSONValue(parsing: text) else { continue }
            do {
                let keys = try ProviderKeys(document)
                await #expect(throws: IdentityProviderError.self) {
                    try await forged.claims(signedBy: keys.keys(for: forged.header))
                }
                #expect(try await token.claims(signedBy: keys.keys(for: token.header)) == Self.claims)
            } catch {
                expectWords(error, text)
            }
        }
    }

    @Test func `a discovery document that was changed leads to no other issuer, and nowhere unencrypted`() throws {
        var numbers = Numbers()
        let issuer = try #require(ProviderURL("https://id.example"))
        let configuration = OpenIDConfiguration(
            issuer: issuer, clientID: "weir", clientSecret: .init("s"), publicURL: "https://weir.example")
        let document: JSONValue = [
            "issuer": "https://id.example", "authorization_endpoint": "https://id.example/authorize",
            "token_endpoint": "https://id.example/token", "jwks_uri": "https://id.example/keys",
            "userinfo_endpoint": "https://id.example/me", "end_session_endpoint": "https://id.example/out",
            "token_endpoint_auth_methods_supported": ["client_secret_basic"],
        ]
        let good = try document.text()
        for _ in 0..<Self.rounds {
            let text = mutated(good, &numbers)
            guard let document = try? JSONValue(parsing: text) else { continue }
            do {
                let read = try ProviderMetadata(document, for: configuration)
                #expect(document["issuer"] == "https://id.example", "\(text)")
                let urls = [
                    read.authorizationEndpoint, read.tokenEndpoint, read.keys, read.userInfoEndpoint,
                    read.endSessionEndpoint,
                ]
                #expect(urls.compactMap { $0 }.allSatisfy { $0.text.hasPrefix("https://") }, "\(text)")
            } catch {
                expectWords(error, text)
            }
        }
    }
}
