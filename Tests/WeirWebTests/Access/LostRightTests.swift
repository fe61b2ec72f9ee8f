import Foundation
import HTTPTypes
import TestSupport
import Testing
import WeirAccess
import WeirBoards
import WeirJournals
import WeirStates

@testable import WeirWeb

/// Every route, asked by every kind of credential, before and after the right was lost.
@Suite(.timeLimit(.minutes(15)))
struct LostRightTests {
    private static let rules = AccessRules(grants: [RoleGrant(RoleAssignment("operator"), to: [.group("ops")])])

    private static func person(_ groups: [String]) -> StoredPerson {
        StoredPerson(name: "Ana", identity: "p#1", isUser: false, groups: groups)
    }

    /// The paths that a read can request, with those about accounts.
    private static func paths(_ run: String, _ epoch: String) -> [String] {
        RouteTableTests.paths(run: run, epoch: epoch, tail: "/live/1/board/\(epoch)/0/0").filter { path in
            guard let route = try? Route(RequestTarget(path, mount: MountPath("/")).segments) else { return false }
            return route.methods.contains(.get) && route.requirement != .nothing
        } + [
            "/tokens", "/sessions", "/links", "/api/v1/tokens", "/api/v1/sessions", "/api/v1/links",
            "/runs/\(run)/links",
        ]
    }

    /// The ways to lose a right.
    enum Loss: CaseIterable { case ended, withoutGroup, withoutGrant }

    @Test(arguments: Loss.allCases)
    func `on every route, the session, token and link of a person end with the person's right`(loss: Loss) async throws
    {
        try await AccountServer.run(.oidc(prefix: "p#"), isEmpty: true) { server in
            let directory = server.directory
            directory.control.replace(rules: Self.rules)
            let session = try await directory.begin(Self.person(["ops"]), from: .none, replacing: nil)
            let maker = Principal(.person, name: "Ana", identity: "p#1", groups: ["ops"])
            let run = try await server.board.start("steps", input: ["label": "a", "last": 0], actor: "x").run
            let token = try await directory.createToken(
                "ci", roles: [StoredAssignment(role: "operator")], days: nil, by: maker
            ).token
            let link = try await directory.createLink(to: run, of: "steps", hours: 1, by: maker).link
            let credentials = [
                ("session", "Cookie: \(directory.cookie.name)=\(session.text)"),
                ("token", "Authorization: Bearer \(token.text)"), ("link", "Authorization: Bearer \(link.text)"),
            ]
            let paths = Self.paths(run, server.board.epoch)
            for (name, field) in credentials {
                let seen = try await server.ask("GET", "/api/v1/runs/\(run)", [field]).status
                #expect(seen == 200, "\(name) before")
            }
            switch loss {
            case .ended: _ = try await directory.endAccess(of: "p#1", by: .system)
            case .withoutGroup:
                // A further sign-in names the groups; the session of before ends at its own end, as documented.
                _ = try await directory.begin(Self.person([]), from: .none, replacing: session)
            case .withoutGrant: directory.control.replace(rules: AccessRules())
            }
            for (name, field) in credentials {
                for path in paths {
                    let status = try await server.ask("GET", path, [field]).status
                    #expect([401, 403, 404].contains(status), "\(loss) \(name) \(path): \(status)")
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
            let epoch = server.board.epoch
            for path in RouteTableTests.paths(run: String(run), epoch: epoch, tail: "/live/1/board/\(epoch)/0/0") {
                guard let route = try? Route(RequestTarget(path, mount: MountPath("/")).segments),
                    route.requirement != .nothing
                else { continue }
                for method in route.methods where ![.get, .head, .options].contains(method) {
                    let status = try await server.ask(method.rawValue, path, [cookie] + AccountServer.form, body: "")
                        .status
                    #expect([401, 403, 404].contains(status), "\(loss) \(method) \(path): \(status)")
                }
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
