import Logging
import TestSupport
import Testing
import WeirAccess
import WeirFlows

@testable import WeirWeb

/// What a browser sees that an identity provider does not sign in, and what the operator reads about it.
@Suite(.timeLimit(.minutes(15)))
struct ProviderSignInTests {
    /// A provider that signs nobody in.
    private struct Refusing: IdentityProvider {
        let kind: IdentityProviderError.Kind

        func begin(back: String) async throws(IdentityProviderError) -> (url: String, secret: String) {
            throw IdentityProviderError(kind, "no beginning")
        }
        func complete(
            _ parameters: [String: String], secret: String?, from address: String?
        ) async throws(IdentityProviderError) -> ProviderSignIn {
            throw IdentityProviderError(kind, "no end")
        }
        func signOut(token: String) async throws(IdentityProviderError) -> ProviderSignOut {
            throw IdentityProviderError(.failed, "no sign-out")
        }
        func signOutURL() async -> String? { nil }
    }

    /// A provider at which a sign-in waits until it is cancelled.
    private struct Waiting: IdentityProvider {
        let waiting = MutableStateFlow(0)

        func begin(back: String) async throws(IdentityProviderError) -> (url: String, secret: String) {
            throw IdentityProviderError(.failed, "no beginning")
        }
        func complete(
            _ parameters: [String: String], secret: String?, from address: String?
        ) async throws(IdentityProviderError) -> ProviderSignIn {
            waiting.update { $0 + 1 }
            defer { waiting.update { $0 - 1 } }
            _ = await waiting.first { _ in false }
            throw IdentityProviderError(.unreachable, "cancelled")
        }
        func signOut(token: String) async throws(IdentityProviderError) -> ProviderSignOut {
            throw IdentityProviderError(.failed, "no sign-out")
        }
        func signOutURL() async -> String? { nil }
    }

    private static let refusal = "A sign-in through the identity provider failed."

    @Test func `whom the provider does not sign in can try it again there, and is asked for no password`() async throws
    {
        try await AccountServer.run(.oidc(prefix: "p#"), isEmpty: true, provider: Refusing(kind: .denied)) { server in
            for path in ["/sign-in/provider", "/sign-in/return?state=a"] {
                let answer = try await server.ask("GET", path, ["Accept: text/html"])
                #expect(answer.status == 403, "\(path)")
                #expect(answer.text.contains("id=\"sign-in-error\""), "\(path)")
                #expect(answer.text.contains("href=\"/sign-in/provider\""), "\(path)")
                #expect(!answer.text.contains("type=\"password\""), "\(path)")
            }
        }
    }

    @Test(arguments: [IdentityProviderError.Kind.unreachable, .busy])
    func `a provider that cannot be reached is a failure of this server for now`(
        kind: IdentityProviderError.Kind
    ) async throws {
        try await AccountServer.run(.oidc(prefix: "p#"), isEmpty: true, provider: Refusing(kind: kind)) { server in
            let answer = try await server.ask("GET", "/sign-in/provider", ["Accept: text/html"])
            #expect(answer.status == 503)
        }
    }

    @Test func `a sign-in that waits for the provider is cancelled when the browser leaves`() async throws {
        let provider = Waiting()
        try await AccountServer.run(.oidc(prefix: "p#"), isEmpty: true, provider: provider) { server in
            let browser = try await server.connect()
            try await browser.send("GET", "/sign-in/return?state=a", headers: ["Accept: text/html"])
            try await until { provider.waiting.value == 1 }
            await browser.close()
            try await until { provider.waiting.value == 0 }
        }
    }

    @Test func `what keeps people from signing in warns the operator, and a sign-in that is too old does not`()
        async throws
    {
        for (kind, isNews) in [(.client, true), (.stale, false)] as [(IdentityProviderError.Kind, Bool)] {
            let log = CapturedLog(level: .trace)
            try await AccountServer.run(
                .oidc(prefix: "p#"), isEmpty: true, provider: Refusing(kind: kind), logger: log.logger
            ) { server in
                _ = try await server.ask("GET", "/sign-in/return?state=a", ["Accept: text/html"])
                #expect(log.messages(at: .warning).contains(Self.refusal) == isNews)
                #expect(log.messages(at: .debug).contains(Self.refusal) == !isNews)
            }
        }
    }

    @Test func `the page to sign in leads to the provider where there is one, and nowhere else`() async throws {
        let provider = "href=\"/sign-in/provider"
        try await AccountServer.run(.oidc(prefix: "p#"), isEmpty: true, provider: Refusing(kind: .denied)) { server in
            let page = try await server.ask("GET", "/sign-in", ["Accept: text/html"])
            #expect(page.status == 200 && page.text.contains(provider))
        }
        try await AccountServer.run { server in
            let page = try await server.ask("GET", "/sign-in", ["Accept: text/html"])
            #expect(page.status == 200 && !page.text.contains(provider))
        }
    }
}
