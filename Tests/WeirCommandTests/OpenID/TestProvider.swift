import Foundation
import Synchronization
import WeirAccess
import WeirStates

@testable import WeirCommand

/// A provider in memory: publishes a key, and gives the token that a test wants for any code.
final class TestProvider: ProviderTransport {
    private struct State {
        var now: Int64 = 1_800_000_000_000
        var requests: [ProviderRequest] = []
        var isDown = false
        var metadata: [String: JSONValue] = [
            "issuer": "https://id.example", "authorization_endpoint": "https://id.example/authorize?tenant=1",
            "token_endpoint": "https://id.example/token", "jwks_uri": "https://id.example/keys",
            "end_session_endpoint": "https://id.example/logout",
        ]
        var keys: [JSONValue] = []
        var token = ProviderAnswer(status: 400, body: Data())
        var userInfo = ProviderAnswer(status: 404, body: Data())
    }

    private let state = Mutex(State())

    init(_ key: SigningKey) { state.withLock { $0.keys = [key.published] } }

    var now: Int64 { state.withLock { $0.now } }
    var requests: [ProviderRequest] { state.withLock { $0.requests } }
    func count(_ url: String) -> Int { requests.count { $0.url == url } }
    func advance(milliseconds: Int64) { state.withLock { $0.now += milliseconds } }
    func set(isDown: Bool) { state.withLock { $0.isDown = isDown } }
    func set(_ name: String, _ value: JSONValue?) { state.withLock { $0.metadata[name] = value } }
    func publish(_ keys: [SigningKey]) { state.withLock { $0.keys = keys.map(\.published) } }
    func answerTokens(_ status: Int, _ json: JSONValue) {
        state.withLock { $0.token = Self.answer(json, status: status) }
    }
    func answerTokens(_ answer: ProviderAnswer) { state.withLock { $0.token = answer } }
    func answerUserInfo(_ json: JSONValue) {
        state.withLock {
            $0.metadata["userinfo_endpoint"] = "https://id.example/userinfo"
            $0.userInfo = Self.answer(json)
        }
    }

    private static func answer(_ json: JSONValue, status: Int = 200) -> ProviderAnswer {
        do {
            return ProviderAnswer(status: status, body: Data(try json.text().utf8))
        } catch {
            return ProviderAnswer(status: 500, body: Data())
        }
    }

    func send(_ request: ProviderRequest) async throws(IdentityProviderError) -> ProviderAnswer {
        let answer: ProviderAnswer? = state.withLock { state in
            state.requests.append(request)
            guard !state.isDown else { return nil }
            switch request.url {
            case "https://id.example/.well-known/openid-configuration": return Self.answer(.object(state.metadata))
            case "https://id.example/keys": return Self.answer(["keys": .array(state.keys)])
            case "https://id.example/token": return state.token
            case "https://id.example/userinfo": return state.userInfo
            default: return ProviderAnswer(status: 404, body: Data())
            }
        }
        guard let answer else { throw IdentityProviderError(.unreachable, "refused") }
        return answer
    }
}

/// A server's side of sign-ins at such a provider.
struct SignInTrial: Sendable {
    let key: SigningKey
    let provider: TestProvider
    let server: OpenIDProvider

    /// Makes a server with its provider, or with that of another server; with a seal, one that others can have as well.
    init(
        seal: String? = nil, beside other: SignInTrial? = nil, change: (inout OpenIDConfiguration) -> Void = { _ in }
    ) async throws {
        if let other { key = other.key } else { key = try await SigningKey(.es256) }
        let provider = other?.provider ?? TestProvider(key)
        self.provider = provider
        guard let issuer = ProviderURL("https://id.example") else { throw IdentityProviderError(.failed, "no URL") }
        var configuration = OpenIDConfiguration(
            issuer: issuer, clientID: "weir", clientSecret: .init("s3cr:t+&"), publicURL: "https://weir.example/")
        change(&configuration)
        server = OpenIDProvider(configuration, key: seal, transport: provider, now: { provider.now })
    }

    /// A browser at the provider: what is in the address it was sent to, and its cookie.
    func begin(back: String = "/runs") async throws -> (parameters: [String: String], cookie: String) {
        let (url, secret) = try await server.begin(back: back)
        let items = URLComponents(string: url)?.queryItems ?? []
        return (Dictionary(items.map { ($0.name, $0.value ?? "") }) { $1 }, secret)
    }

    /// The provider gives a token with good claims, and these.
    func answer(nonce: String, _ claims: [String: JSONValue] = [:], key: SigningKey? = nil) async throws {
        let seconds = provider.now / 1_000
        let good: [String: JSONValue] = [
            "iss": "https://id.example", "aud": "weir", "sub": "7", "nonce": .string(nonce), "iat": .integer(seconds),
            "exp": .integer(seconds + 300), "name": "Ana", "groups": ["ops"],
        ]
        let token = try await (key ?? self.key).token(.object(good.merging(claims) { $1 }))
        provider.answerTokens(200, ["id_token": .string(token), "access_token": "at"])
    }

    /// A sign-in from beginning to end.
    func signIn(back: String = "/runs", _ claims: [String: JSONValue] = [:], key: SigningKey? = nil) async throws
        -> ProviderSignIn
    {
        let (sent, cookie) = try await begin(back: back)
        try await answer(nonce: sent["nonce"] ?? "", claims, key: key)
        return try await server.complete(["state": sent["state"] ?? "", "code": "c1"], secret: cookie, from: nil)
    }

    /// Why a sign-in fails; nil if it does not.
    func failure(_ body: () async throws -> Void) async -> IdentityProviderError.Kind? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? IdentityProviderError)?.kind
        }
    }
}
