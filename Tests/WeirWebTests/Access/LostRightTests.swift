import Foundation
import HTTPTypes
import Testing
@testable import WeirAccess
import WeirBoards
import WeirJournals
import WeirStates

@testable import WeirWeb

/// Every route, asked by every kind of credential, before and after the right was lost.
@Suite(.timeLimit(.minutes(15)))
struct LostRightTests {
    private static let rules = AccessRules(grants: [RoleGrant(RoleAssignment("operator"), to: [.group("ops")])])
    private static let identity = "p#1"

    private static func person(_ groups: [String]) -> StoredPerson {
        StoredPerson(name: identity, identity: identity, isUser: false, groups: groups)
    }

    /// All methods of all paths that need a right, with those about accounts.
    private static func requests(_ run: String, _ epoch: String) -> [(method: HTTPRequest.Method, path: String)] {
        let pages = ["/tokens", "/sessions", "/links", "/users", "/audit", "/audit/export", "/runs/\(run)/links"]
        let accounts = APIResource.accounts.flatMap { resource -> [(HTTPRequest.Method, String)] in
            let segments = resource.path.split(separator: "/").map {
                $0 == "{run}" ? run : $0.hasPrefix("{") ? "x-1" : String($0)
            }
            guard let route = AccountRoute(["api", "v1"] + segments), route.requirement != .nothing else { return [] }
            return route.methods.filter { $0 != .head }.map { ($0, "/api/v1/" + segments.joined(separator: "/")) }
        }
        let paths = RouteTableTests.paths(run: run, epoch: epoch, tail: "/live/1/board/\(epoch)/0/0")
        return paths.flatMap { path -> [(HTTPRequest.Method, String)] in
            guard let route = try? Route(RequestTarget(path, mount: MountPath("/")).segments),
                route.requirement != .nothing
            else { return [] }
            return route.methods.filter { ![.head, .options].contains($0) }.map { ($0, path) }
        } + pages.map { (.get, $0) } + accounts
    }

    /// The sources that name a person and their groups.
    enum Source: CaseIterable { case provider, proxy }

    /// The ways in which a person loses a right.
    enum Loss: CaseIterable { case ended, withoutGroup, withoutGrant }

    private struct Person {
        let server: AccountServer
        let source: Source
        let run: String
        /// A field of each kind of credential.
        let credentials: [(name: String, fields: [String])]

        init(_ server: AccountServer, _ source: Source) async throws {
            (self.server, self.source) = (server, source)
            let directory = server.directory
            directory.control.replace(rules: LostRightTests.rules)
            run = try await server.board.start("steps", input: ["label": "a", "last": 0], actor: "x").run
            let own: [String]
            switch source {
            case .provider:
                let session = try await directory.begin(LostRightTests.person(["ops"]), from: .none, replacing: nil)
                own = ["Cookie: \(directory.cookie.name)=\(session.text)"]
            case .proxy:
                own = ["Remote-User: \(LostRightTests.identity)", "Remote-Groups: ops"]
                _ = try await server.ask("GET", "/", own)
            }
            let maker = LostRightTests.person(["ops"]).principal
            let token = try await directory.createToken(
                "ci", roles: [StoredAssignment(role: "operator")], days: nil, by: maker
            ).token
            let link = try await directory.createLink(to: run, of: "steps", hours: 1, by: maker).link
            credentials = [
                ("person", own), ("token", ["Authorization: Bearer \(token.text)"]),
                ("link", ["Authorization: Bearer \(link.text)"]),
            ]
        }

        /// Takes the right away; returns the credentials that have lost it.
        func lose(_ loss: Loss) async throws -> [(name: String, fields: [String])] {
            switch loss {
            case .ended:
                _ = try await server.directory.endAccess(of: LostRightTests.identity, by: .system)
                // The proxy still names the person.
                return source == .proxy ? credentials.filter { $0.name != "person" } : credentials
            case .withoutGrant:
                server.directory.control.replace(rules: AccessRules())
                return credentials
            case .withoutGroup:
                guard source == .provider else {
                    let fields = ["Remote-User: \(LostRightTests.identity)", "Remote-Groups: others"]
                    _ = try await server.ask("GET", "/", fields)
                    return [("person", fields)] + credentials.filter { $0.name != "person" }
                }
                // A sign-in in another browser names the groups.
                _ = try await server.directory.begin(LostRightTests.person([]), from: .none, replacing: nil)
                return credentials
            }
        }
    }

    private func run(_ source: Source, _ test: @escaping @Sendable (AccountServer) async throws -> Void) async throws {
        let mode: AccessConfiguration.Mode =
            source == .proxy ? .proxy(user: "remote-user", groups: "remote-groups") : .oidc(prefix: "p#")
        try await AccountServer.run(mode, isEmpty: true, test)
    }

    @Test(arguments: Source.allCases, Loss.allCases)
    func `on every route, what acts for a person ends with the person's right`(source: Source, loss: Loss) async throws
    {
        try await run(source) { server in
            let person = try await Person(server, source)
            for (name, fields) in person.credentials {
                let seen = try await server.ask("GET", "/api/v1/runs/\(person.run)", fields).status
                #expect(seen == 200, "\(name) before")
            }
            for (name, fields) in try await person.lose(loss) {
                for (method, path) in Self.requests(person.run, server.board.epoch) {
                    let form = method == .get ? [] : AccountServer.form
                    let body = method == .get ? nil : ""
                    let status = try await server.ask(method.rawValue, path, fields + form, body: body).status
                    #expect([401, 403, 404].contains(status), "\(loss) \(name) \(method) \(path): \(status)")
                }
            }
        }
    }

    @Test func `on every route, a token that was revoked, or whose role has gone, is refused`() async throws {
        try await AccountServer.run { server in
            let run = try await server.board.start("steps", input: ["label": "a", "last": 0], actor: "x").run
            let roles = [StoredAssignment(role: "operator")]
            let made = try await server.directory.createToken("ci", roles: roles, days: nil, by: .system)
            try await server.directory.revokeToken(made.record.id, by: .system, anybody: true)
            // Of a person whose role was taken: the token has no more rights than they have.
            let otto = try await server.person("otto", "operator")
            let own = try await server.ask(
                "POST", "/api/v1/tokens", [otto, "Content-Type: application/json", "Sec-Fetch-Site: same-origin"],
                body: #"{"name": "own", "roles": [{"role": "operator"}]}"#)
            let token = try #require(try own.json()["token"]?.string)
            #expect(
                try await server.ask("GET", "/api/v1/runs/\(run)", ["Authorization: Bearer \(token)"]).status == 200)
            try await server.directory.setRoles([], of: "otto", by: .system)
            for text in [made.token.text, token] {
                for (method, path) in Self.requests(run, server.board.epoch) {
                    let form = method == .get ? [] : AccountServer.form
                    let status = try await server.ask(
                        method.rawValue, path, ["Authorization: Bearer \(text)"] + form, body: method == .get ? nil : ""
                    ).status
                    #expect([401, 403, 404].contains(status), "\(method) \(path): \(status)")
                }
            }
        }
    }

    /// The ways in which a local user loses a right.
    enum UserLoss: CaseIterable { case removed, withoutRole, withNewPassword }

    @Test(arguments: UserLoss.allCases)
    func `on every route that changes something, a local user is refused after the right was lost`(loss: UserLoss)
        async throws
    {
        try await AccountServer.run { server in
            let directory = server.directory
            let cookie = try await server.person("otto", "operator")
            let start = "/operations/steps/runs"
            let before = try await server.ask("POST", start, [cookie] + AccountServer.form, body: "label=a&last=0")
            #expect(before.status == 303)
            let run = try #require(before.headers["location"]?.split(separator: "/").last)
            switch loss {
            case .removed: try await directory.removeUser("otto", by: .system)
            case .withoutRole: try await directory.setRoles([], of: "otto", by: .system)
            case .withNewPassword: try await directory.setPassword("battery staple", of: "otto", by: .system)
            }
            for (method, path) in Self.requests(String(run), server.board.epoch) where method != .get {
                let status = try await server.ask(method.rawValue, path, [cookie] + AccountServer.form, body: "").status
                #expect([401, 403, 404].contains(status), "\(loss) \(method) \(path): \(status)")
            }
        }
    }

    @Test func `a page that polls only after its reader lost the right is told that the rights changed`() async throws {
        let known = KnownNames()
        try await TestServer.run(bell: true, secret: true, access: known.access) { server async throws in
            let text = try await server.ask(
                "GET", "/operations/secret", headers: ["X-Test: walt", "Accept: text/html"]
            ).text
            let start = try #require(text.range(of: "data-next=\"")).upperBound
            let url = String(text[start...].prefix { $0 != "\"" })
            let few = SubjectSelection(operations: [IDPattern("steps")].compactMap { $0 })
            known.control.replace(
                rules: AccessRules(grants: [RoleGrant(RoleAssignment("viewer", on: few), to: [.user("walt")])]))
            let answer = try await server.ask("GET", url, headers: ["X-Test: walt"])
            #expect(answer.status == 200)
            #expect(try answer.json()["k"] == "reset" && answer.json()["why"] == "audience")
            let snap = try #require(try answer.json()["snap"]?.string)
            #expect(try await server.ask("GET", snap, headers: ["X-Test: walt"]).status == 404)
            // The answer does not tell a hidden page from one that does not exist.
            let other = try await server.ask(
                "GET", url.replacing("operation-secret", with: "operation-nothere"), headers: ["X-Test: walt"])
            #expect(other.text.replacing("nothere", with: "secret") == answer.text)
        }
    }
}
