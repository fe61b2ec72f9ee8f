import Foundation
import TestSupport
import Testing
@testable import WeirAccess
import WeirBoards
import WeirStates

@testable import WeirWeb

/// Administrators list and end what acts in people's names, for every way to sign in.
@Suite(.timeLimit(.minutes(15)))
struct PeopleTests {
    /// A provider whose logout tokens are `good` and everything else.
    private struct Provider: IdentityProvider {
        func begin(back: String) async throws(IdentityProviderError) -> (url: String, secret: String) {
            throw IdentityProviderError(.failed, "no beginning")
        }
        func complete(
            _ parameters: [String: String], secret: String?, from address: String?
        ) async throws(IdentityProviderError) -> ProviderSignIn {
            throw IdentityProviderError(.failed, "no end")
        }
        func signOut(token: String) async throws(IdentityProviderError) -> ProviderSignOut {
            guard token == "good" else { throw IdentityProviderError(.failed, "The signature is not good.") }
            return ProviderSignOut(identity: "p#1", session: nil)
        }
        func signOutURL() async -> String? { nil }
    }

    private static let rules = AccessRules(grants: [
        RoleGrant(RoleAssignment("admin"), to: [.group("admins")]),
        RoleGrant(RoleAssignment("operator"), to: [.group("ops")]),
    ])

    private func cookie(_ server: AccountServer, _ subject: String, _ group: String) async throws -> String {
        let person = StoredPerson(name: "Person \(subject)", identity: "p#\(subject)", isUser: false, groups: [group])
        let secret = try await server.directory.begin(person, from: .none, replacing: nil)
        return "Cookie: \(server.directory.cookie.name)=\(secret.text)"
    }

    private static let json = ["Content-Type: application/json", "Sec-Fetch-Site: same-origin"]

    @Test func `an administrator lists and ends what acts for a person of a provider, in the browser and by the API`()
        async throws
    {
        try await AccountServer.run(.oidc(prefix: "p#"), isEmpty: true, provider: Provider()) { server in
            server.directory.control.replace(rules: Self.rules)
            let (root, ana) = (try await cookie(server, "0", "admins"), try await cookie(server, "1", "ops"))
            let run = try await server.board.start("steps", input: ["label": "a", "last": 0], actor: "x").run
            func make() async throws -> String {
                let token = try await server.ask(
                    "POST", "/api/v1/tokens", Self.json + [ana],
                    body: #"{"name": "ci", "roles": [{"role": "operator"}]}"#)
                #expect(token.status == 201)
                let link = try await server.ask(
                    "POST", "/api/v1/runs/\(run)/links", Self.json + [ana], body: #"{"hours": 1}"#)
                #expect(link.status == 201)
                return "Authorization: Bearer \(try token.json()["token"]?.string ?? "")"
            }
            let token = try await make()
            #expect(try await server.ask("GET", "/api/v1/runs", [token]).status == 200)
            // What is listed.
            let page = try await server.ask("GET", "/users", [root, "Accept: text/html"])
            #expect(page.status == 200 && page.text.contains("p#1") && !page.text.contains("add-user"))
            let people = try await server.ask("GET", "/api/v1/people", [root]).json()["people"]?.array ?? []
            let person = try #require(people.first { $0["identity"]?.string == "p#1" })
            #expect(person["sessions"]?.array?.count == 1 && person["tokens"]?.array?.count == 1)
            #expect(person["links"]?.array?.count == 1 && person["leaseEnd"]?.string != nil)
            let links = try await server.ask("GET", "/api/v1/links", [root]).json()["links"]?.array ?? []
            #expect(links.first?["run"]?.string == run)
            #expect(try await server.ask("GET", "/links", [root, "Accept: text/html"]).text.contains("/revocation"))
            // What others see and may end: their own.
            let bob = try await cookie(server, "2", "ops")
            #expect(try await server.ask("GET", "/users", [bob]).status == 403)
            let own = try await server.ask("GET", "/api/v1/sessions", [bob]).json()["sessions"]?.array ?? []
            #expect(own.map { $0["person"]?.string } == ["p#2"])
            #expect(try await server.ask("GET", "/api/v1/links", [bob]).json()["links"]?.array?.isEmpty == true)
            let foreign = try #require(person["sessions"]?.array?.first?.string)
            #expect(try await server.ask("DELETE", "/api/v1/sessions/\(foreign)", Self.json + [bob]).status == 404)
            let link = try #require(links.first?["id"]?.string)
            #expect(try await server.ask("DELETE", "/api/v1/links/\(link)", Self.json + [bob]).status == 404)
            // What is ended.
            let id = try #require(person["id"]?.string)
            let ended = try await server.ask("POST", "/users/\(id)/ending", AccountServer.form + [root], body: "")
            #expect(ended.status == 303)
            #expect(try await server.ask("GET", "/api/v1/runs", [token]).status == 401)
            #expect(try await server.ask("GET", "/api/v1/runs", [ana]).status == 401)
            let again = try await cookie(server, "1", "ops")
            #expect(try await server.ask("DELETE", "/api/v1/people/\(id)", Self.json + [root]).status == 200)
            #expect(try await server.ask("GET", "/api/v1/runs", [again]).status == 401)
            let session = try await cookie(server, "1", "ops")
            let listed = try #require(server.directory.sessions().first { $0.person.identity == "p#1" })
            let one = try await server.ask(
                "POST", "/sessions/\(listed.id)/ending", AccountServer.form + [root], body: "")
            #expect(one.status == 303)
            #expect(try await server.ask("GET", "/api/v1/runs", [session]).status == 401)
        }
    }

    @Test func `a provider that signs a person out ends the sessions within a second, and a forged token ends none`()
        async throws
    {
        try await AccountServer.run(.oidc(prefix: "p#"), isEmpty: true, provider: Provider()) { server in
            server.directory.control.replace(rules: Self.rules)
            let ana = try await cookie(server, "1", "ops")
            let type = "Content-Type: application/x-www-form-urlencoded"
            for body in ["logout_token=forged", "", "other=good"] {
                let answer = try await server.ask("POST", "/sign-in/back-channel-logout", [type], body: body)
                #expect(answer.status == 400 && answer.text.contains("invalid_request"))
                #expect(answer.headers["cache-control"]?.contains("no-store") == true)
            }
            #expect(try await server.ask("GET", "/api/v1/runs", [ana]).status == 200)
            let answer = try await server.ask(
                "POST", "/sign-in/back-channel-logout", [type], body: "logout_token=good")
            #expect(answer.status == 200)
            #expect(try await server.ask("GET", "/api/v1/runs", [ana]).status == 401)
        }
    }

    @Test func `a page that was made for other rights learns so from the account's label`() async throws {
        try await AccountServer.run { server in
            let cookie = try await server.person("ana", "viewer")
            func label() async throws -> String? {
                try await server.ask("GET", "/api/v1/account", [cookie]).json()["audience"]?.string
            }
            let before = try #require(try await label())
            let page = try await server.ask("GET", "/tokens", [cookie, "Accept: text/html"])
            #expect(page.text.contains("data-audience=\"\(before)\""))
            try await server.directory.setRoles([StoredAssignment(role: "operator")], of: "ana", by: .system)
            #expect(try await label() != before)
        }
    }
}
