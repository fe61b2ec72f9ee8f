import Foundation
import Synchronization
import Testing
import TestSupport
import WeirAccess
import WeirFlows
import WeirStates

@testable import WeirCommand

/// A provider that accepts connections and does not answer: each sign-in fails after a while, and the next one works.
@Suite(.timeLimit(.minutes(15))) struct StallingProviderTests {
    enum Exchange: String, CaseIterable {
        case discovery = "/.well-known/openid-configuration"
        case keys = "/keys"
        case token = "/token"
        case userInfo = "/userinfo"
    }

    /// A provider on this machine, of which one exchange stalls.
    private final class Provider: Sendable {
        let now = Mutex<Int64>(1_800_000_000_000)
        let stalls = Mutex<[String: StallingListener.Stall]>([:])
        let bodies = Mutex<[String: String]>([:])
        let listener: StallingListener
        let key: SigningKey

        init() async throws {
            key = try await SigningKey(.es256)
            let answers = Mutex<@Sendable (String) -> StallingListener.Answer>({ _ in .body("") })
            listener = try await StallingListener { path in
                let answer = answers.withLock { $0 }
                return answer(path)
            }
            answers.withLock { answers in
                answers = { [weak self] path in
                    guard let self else { return .body("") }
                    if let stall = stalls.withLock({ $0[path] }) { return .stall(stall) }
                    return .body(bodies.withLock { $0[path] } ?? "")
                }
            }
            let url = listener.url
            try set(
                .discovery,
                [
                    "issuer": .string(url), "authorization_endpoint": .string(url + "/authorize"),
                    "token_endpoint": .string(url + "/token"), "jwks_uri": .string(url + "/keys"),
                    "userinfo_endpoint": .string(url + "/userinfo"),
                ])
            try set(.keys, ["keys": [key.published]])
            try set(.userInfo, ["sub": "7", "name": "Ana", "groups": ["ops"]])
        }

        func set(_ exchange: Exchange, _ json: JSONValue) throws {
            let text = try json.text()
            bodies.withLock { $0[exchange.rawValue] = text }
        }

        func server(timeout: Duration) throws -> OpenIDProvider {
            let issuer = try #require(ProviderURL(listener.url))
            return OpenIDProvider(
                OpenIDConfiguration(
                    issuer: issuer, clientID: "weir", clientSecret: .init("s"), publicURL: "https://weir.example/"),
                transport: ProviderClient(timeout: timeout), now: { self.now.withLock { $0 } })
        }

        func signIn(at server: OpenIDProvider) async throws -> ProviderSignIn {
            let (url, cookie) = try await server.begin(back: "/")
            let items = URLComponents(string: url)?.queryItems ?? []
            let sent = Dictionary(items.map { ($0.name, $0.value ?? "") }) { $1 }
            let seconds = now.withLock { $0 } / 1_000
            let token = try await key.token([
                "iss": .string(listener.url), "aud": "weir", "sub": "7", "nonce": .string(sent["nonce"] ?? ""),
                "iat": .integer(seconds), "exp": .integer(seconds + 300),
            ])
            try set(.token, ["id_token": .string(token), "access_token": "at"])
            return try await server.complete(
                ["state": sent["state"] ?? "", "code": "c"], secret: cookie, from: "192.0.2.1")
        }
    }

    @Test(arguments: Exchange.allCases, StallingListener.Stall.allCases)
    func `an exchange that stalls fails within its time, and the next sign-in works`(
        exchange: Exchange, stall: StallingListener.Stall
    ) async throws {
        let provider = try await Provider()
        let server = try provider.server(timeout: .seconds(1))
        provider.stalls.withLock { $0 = [exchange.rawValue: stall] }
        let failure = await #expect(throws: IdentityProviderError.self) { _ = try await provider.signIn(at: server) }
        #expect(failure?.kind == .unreachable)
        provider.stalls.withLock { $0 = [:] }
        // A second is the first pause after a failure. A machine that has much else to do may be late more than once.
        var signIn: ProviderSignIn?
        for pause in [1_000] + Array(repeating: 30_000, count: 20) as [Int64] where signIn == nil {
            provider.now.withLock { $0 += pause }
            do { signIn = try await provider.signIn(at: server) } catch { _ = error }
        }
        #expect(signIn?.person.identity == provider.listener.url + "#7" && signIn?.person.groups == ["ops"])
    }

    // MARK: Places

    /// A provider whose token endpoint answers nothing.
    private struct SilentTokens: ProviderTransport {
        let provider: TestProvider
        let waiting = MutableStateFlow(0)

        func send(_ request: ProviderRequest) async throws(IdentityProviderError) -> ProviderAnswer {
            guard request.url.hasSuffix("/token") else { return try await provider.send(request) }
            waiting.update { $0 + 1 }
            defer { waiting.update { $0 - 1 } }
            _ = await waiting.first { _ in false }
            throw IdentityProviderError(.unreachable, "cancelled")
        }
    }

    private func server(_ transport: any ProviderTransport, now: @escaping @Sendable () -> Int64) throws
        -> OpenIDProvider
    {
        let issuer = try #require(ProviderURL("https://id.example"))
        return OpenIDProvider(
            OpenIDConfiguration(
                issuer: issuer, clientID: "weir", clientSecret: .init("s"), publicURL: "https://weir.example/"),
            transport: transport, now: now)
    }

    private func complete(at server: OpenIDProvider, from address: String, state: String? = nil) async
        -> IdentityProviderError.Kind?
    {
        do throws(IdentityProviderError) {
            let (url, cookie) = try await server.begin(back: "/")
            let known = URLComponents(string: url)?.queryItems?.first { $0.name == "state" }?.value
            _ = try await server.complete(["state": state ?? known ?? "", "code": "c"], secret: cookie, from: address)
            return nil
        } catch {
            return error.kind
        }
    }

    @Test func `one address can take a share of the places, and a sign-in that is cancelled gives its own back`()
        async throws
    {
        let transport = SilentTokens(provider: TestProvider(try await SigningKey(.es256)))
        let server = try server(transport) { [provider = transport.provider] in provider.now }
        func begin(from address: String) -> Task<IdentityProviderError.Kind?, Never> {
            Task { await complete(at: server, from: address) }
        }
        let (limit, share) = (SignInPlaces.limit, SignInPlaces.limitPerAddress)
        var waiting = (0..<share).map { _ in begin(from: "192.0.2.1") }
        try await until { transport.waiting.value == share }
        #expect(await complete(at: server, from: "192.0.2.1") == .busy)
        // A stranger without an attempt of this server takes no place.
        #expect(await complete(at: server, from: "192.0.2.2", state: "invented") == .stale)
        #expect(transport.waiting.value == share)
        let first = waiting.removeFirst()
        first.cancel()
        #expect(await first.value == .unreachable)
        waiting += [begin(from: "192.0.2.1")]
        waiting += (share..<limit).map { begin(from: "192.0.2.\($0)") }
        try await until { transport.waiting.value == limit }
        #expect(await complete(at: server, from: "198.51.100.1") == .busy)
        for task in waiting { task.cancel() }
        for task in waiting { #expect(await task.value == .unreachable) }
        #expect(transport.waiting.value == 0)
    }

    @Test func `a sign-in that finds no place can come back with the same address`() async throws {
        let transport = SilentTokens(provider: TestProvider(try await SigningKey(.es256)))
        let server = try server(transport) { [provider = transport.provider] in provider.now }
        let waiting = (0..<SignInPlaces.limitPerAddress).map { _ in
            Task { await complete(at: server, from: "192.0.2.1") }
        }
        try await until { transport.waiting.value == SignInPlaces.limitPerAddress }
        let (url, cookie) = try await server.begin(back: "/")
        let state = URLComponents(string: url)?.queryItems?.first { $0.name == "state" }?.value ?? ""
        func come() async -> IdentityProviderError.Kind? {
            do throws(IdentityProviderError) {
                _ = try await server.complete(["state": state], secret: cookie, from: "192.0.2.1")
                return nil
            } catch {
                return error.kind
            }
        }
        #expect(await come() == .busy)
        for task in waiting { task.cancel() }
        for task in waiting { _ = await task.value }
        // There is no code in it.
        #expect(await come() == .failed)
        #expect(await come() == .stale)
    }

    // MARK: Fetches that are shared

    /// A provider whose discovery document comes when the test says.
    private struct HeldDiscovery: ProviderTransport {
        let provider: TestProvider
        let isReleased = MutableStateFlow(false)

        func send(_ request: ProviderRequest) async throws(IdentityProviderError) -> ProviderAnswer {
            _ = await isReleased.first { $0 }
            return try await provider.send(request)
        }
    }

    @Test func `a browser that leaves does not wait for the fetch that others wait for`() async throws {
        let transport = HeldDiscovery(provider: TestProvider(try await SigningKey(.es256)))
        let server = try server(transport) { [provider = transport.provider] in provider.now }
        let (first, second) = (
            Task { try await server.begin(back: "/") }, Task { try await server.begin(back: "/") }
        )
        first.cancel()
        await #expect(throws: IdentityProviderError.self) { _ = try await first.value }
        transport.isReleased.value = true
        #expect(try await second.value.url.hasPrefix("https://id.example/authorize"))
        #expect(transport.provider.requests.count == 1)
    }
}
