import Foundation
import HTTPTypes
import Testing
@testable import WeirAccess
import WeirBoards
import WeirJournals
import WeirStates

@testable import WeirWeb

/// What somebody who wishes a server ill has tried on it.
@Suite(.timeLimit(.minutes(15)))
struct HostileRequestTests {
    private static func everyone(_ operations: String...) -> AccessRules {
        AccessRules(grants: [
            RoleGrant(
                RoleAssignment("viewer", on: SubjectSelection(operations: operations.compactMap { IDPattern($0) })),
                to: [.everyone]),
            RoleGrant(RoleAssignment("admin"), to: [.user("ada")]),
        ])
    }

    @Test func `when less is public than before, no answer that is kept shows what was public`() async throws {
        let known = KnownNames(Self.everyone("*"))
        try await TestServer.run(secret: true, access: known.access) { server async throws in
            let epoch = server.board.epoch
            let from = server.board.feed.head(of: .board)
            let hidden = try await server.board.start("secret", input: ["label": "hush"], actor: "mole").run
            _ = try await server.start()
            let paths = [
                "/live/1/board/\(epoch)/\(from)/now", "/live/1/board/\(epoch)/0/now",
                "/api/v1/streams/board?offset=-1", "/api/v1/streams/board",
            ]
            for path in paths { #expect(try await server.ask("GET", path).text.contains(hidden), "\(path)") }
            let tag = try #require(try await server.ask("GET", "/api/v1/streams/board?offset=-1")["etag"])
            known.control.replace(rules: Self.everyone("steps"))
            for path in paths {
                let answer = try await server.ask("GET", path)
                #expect(answer.status == 200, "\(path)")
                #expect(!answer.text.contains(hidden) && !answer.text.contains("hush"), "\(path)")
            }
            // Nor does one who kept it hear that it is still good.
            let again = try await server.ask(
                "GET", "/api/v1/streams/board?offset=-1", headers: ["If-None-Match: \(tag)"])
            #expect(again.status == 200)
            #expect(again["etag"] != tag)
        }
    }

    @Test func `a token that may do what everybody may is not shown what was made for the local operator`()
        async throws
    {
        try await AccountServer.run(.none(allowsForwarded: false), isEmpty: true) { server in
            server.directory.control.replace(rules: Self.everyone("steps"))
            let bearer = try await server.directory.createToken(
                "display", roles: [StoredAssignment(role: "viewer", operations: ["steps"])], days: nil, by: .system
            ).token.text
            let hidden = try await server.board.start("secret", input: ["label": "hush", "last": 0], actor: "mole").run
            _ = try await server.board.start("steps", input: ["label": "a", "last": 0], actor: "mole")
            let epoch = server.board.epoch
            for path in [
                "/live/1/board/\(epoch)/0/now", "/live/1/board/snap", "/api/v1/streams/board?offset=-1", "/",
            ] {
                #expect(try await server.ask("GET", path).text.contains(hidden), "\(path)")
                let answer = try await server.ask("GET", path, ["Authorization: Bearer \(bearer)"])
                #expect(answer.status == 200, "\(path)")
                #expect(!answer.text.contains(hidden) && !answer.text.contains("hush"), "\(path)")
            }
        }
    }

    @Test func `rights that are sent in a way that nobody understands are not taken for more`() async throws {
        try await AccountServer.run { server in
            let root = try await server.cookie(of: "root")
            let headers = [root, "Content-Type: application/json", "Sec-Fetch-Site: same-origin"]
            for body in [
                #"{"name": "a", "roles": [{"role": "admin", "operations": "backup*"}]}"#,
                #"{"name": "a", "roles": [{"role": "admin", "operation": ["backup*"]}]}"#,
                #"{"name": "a", "roles": [{"role": "admin", "operations": [1]}]}"#,
                #"{"name": "a", "roles": [{"role": "admin", "operations": null}]}"#,
                #"{"name": "a", "roles": [{"role": "admin", "tags": {"a": 1}}]}"#,
                #"{"name": "a", "roles": ["admin"]}"#,
                #"{"name": "a", "roles": [{"role": "viewer"}], "days": "90"}"#,
                #"{"name": "a", "roles": [{"role": "viewer"}], "days": 1.5}"#,
                #"{"name": "a", "roles": [{"role": "viewer"}], "expires": 90}"#,
            ] {
                let answer = try await server.ask("POST", "/api/v1/tokens", headers, body: body)
                #expect(answer.status == 422, "\(body)")
            }
            #expect(server.directory.tokens().isEmpty)
            for (method, path, body) in [
                ("PUT", "/api/v1/users/vera/roles", #"{"roles": [{"role": "admin", "operations": "x"}]}"#),
                ("PUT", "/api/v1/users/vera/roles", #"{"roles": [{"role": "admin", "stores": "x"}]}"#),
                ("PUT", "/api/v1/users/vera/roles", #"{"roles": [{"role": "admin"}], "tags": ["x"]}"#),
                ("POST", "/api/v1/users", #"{"name": "eve", "password": "correct horse", "roles": [], "role": "x"}"#),
                ("PUT", "/api/v1/users/vera/password", #"{"password": "battery staple", "name": "root"}"#),
            ] {
                #expect(try await server.ask(method, path, headers, body: body).status == 422, "\(body)")
            }
            #expect(server.directory.users.map(\.name) == ["root", "vera"])
            #expect(server.directory.users.last?.roles == [StoredAssignment(role: "viewer")])
        }
    }

    @Test func `another role on the page of users widens nothing`() async throws {
        try await AccountServer.run { server in
            _ = try await server.person("ana", "operator", operations: ["backup*"])
            let root = try await server.cookie(of: "root")
            func send(_ body: String) async throws -> Int {
                let headers = AccountServer.form + [root]
                return try await server.ask("POST", "/users/ana/roles", headers, body: body).status
            }
            let was = "was=operator+(operations+backup*)&role=viewer"
            for body in [
                "role=viewer", was, was + "&scope=all", was + "&scope=all&operations=backup*&stores=&tags=",
                was + "&scope=only&operations=&stores=&tags=", was + "&scope=only&operations=backup*&stores=",
                was + "&scope=x&operations=&stores=&tags=", was + "&scope=only&operations=A&stores=&tags=",
            ] { #expect(try await send(body) == 422, "\(body)") }
            #expect(try await send("was=viewer&role=admin&scope=all&operations=&stores=&tags=") == 409)
            let ana = { server.directory.users.first { $0.name == "ana" }?.roles }
            #expect(ana() == [StoredAssignment(role: "operator", operations: ["backup*"])])
            #expect(try await send(was + "&scope=only&operations=backup*,+nightly&stores=&tags=db") == 303)
            #expect(ana() == [StoredAssignment(role: "viewer", operations: ["backup*", "nightly"], tags: ["db"])])
        }
    }

    @Test func `a password that a proxy asked for does not stand in for where a request comes from`() async throws {
        try await AccountServer.run { server in
            let root = try await server.cookie(of: "root")
            for scheme in ["Basic eDp5", "Negotiate abc", "NTLM abc", "Digest a=b"] {
                let headers = [root, "Authorization: \(scheme)", "Content-Type: application/x-www-form-urlencoded"]
                let users = try await server.ask(
                    "POST", "/users", headers, body: "name=eve&password=battery+staple&role=admin")
                #expect(users.status == 403, "\(scheme)")
                let run = try await server.ask("POST", "/operations/steps/runs", headers, body: "label=a&last=0")
                #expect(run.status == 403, "\(scheme)")
            }
            #expect(server.directory.users.count == 2)
        }
    }

    @Test func `a token without a token is nobody, not whoever the cookie or the machine says`() async throws {
        for mode in [AccessConfiguration.Mode.password, .none(allowsForwarded: false)] {
            try await AccountServer.run(mode, isEmpty: mode != .password) { server in
                var headers = ["Authorization: Bearer"]
                if mode == .password { headers.append(try await server.cookie(of: "root")) }
                for path in ["/api/v1/operations", "/live/1/board/snap", "/api/v1/streams/board", "/api/v1/users"] {
                    #expect(try await server.ask("GET", path, headers).status == 401, "\(path)")
                }
            }
        }
    }

    @Test func `no other spelling of a path leads past a requirement`() async throws {
        let known = KnownNames()
        try await TestServer.run(bell: true, secret: true, access: known.access) { server async throws in
            let run = try await server.board.start("secret", input: ["label": "hush"], actor: "mole").run
            let epoch = server.board.epoch
            for path in [
                "//system", "/system/", "/./system", "/runs/../system", "/runs/..;/system", "/;/system", "/system;a=b",
                "/%73ystem", "/SYSTEM", "/runs%2f\(run)", "/runs/%2e%2e/system", "/runs//\(run)", "/runs/\(run)%00",
                "/runs/\(run)%20", "/runs/\(run)/", "/%2fruns/\(run)", "/live//1/operation-secret/snap",
                "/live/1/operation-secret/%73nap", "/live/1/%6fperation-secret/snap",
                "/live/1/operation-secret/\(epoch)/0/now?", "/live/1/operation-secret/\(epoch)/0/%6eow",
                "/api/v1/runs/\(run)%2foutput", "/api/v1//runs/\(run)", "/api//v1/runs/\(run)",
                "/api/v1/streams/run-\(run)%23", "/api/v1/streams/%72un-\(run)", "/api/v1/feeds/run-\(run)/changes",
                "/operations/secret%3fx", "/operations/SECRET", "/operations/secre%74", "/stores/vault%ff",
                "http://localhost/system", "http://localhost/runs/\(run)", "*", "/\\system",
            ] {
                for name in ["vera", "link", nil] {
                    let answer = try await server.ask("GET", path, headers: name.map { ["X-Test: \($0)"] } ?? [])
                    #expect(
                        [308, 400, 401, 403, 404, 421].contains(answer.status), "\(name ?? "") \(path) \(answer.status)"
                    )
                    #expect(!answer.text.contains("hush") && !answer.text.contains("mole"), "\(path)")
                }
            }
        }
    }

    @Test func `a link to one run leads to nothing that lies beside it`() async throws {
        let known = KnownNames()
        try await TestServer.run(printing: true, bell: true, secret: true, scheduled: true, access: known.access) {
            server async throws in
            let other = try await server.board.start("steps", input: ["label": "hush"], actor: "mole").run
            let run = try await server.board.start("steps", input: ["label": "open", "last": 0], actor: "x").run
            known.run.value = run
            let own = try await server.ask("GET", "/runs/\(run)", headers: ["X-Test: link", "Accept: text/html"])
            #expect(own.status == 200)
            let epoch = server.board.epoch
            for path in [
                "/runs/\(other)", "/runs/\(other)/output", "/runs/\(other)/export", "/runs/\(run)/export",
                "/operations/steps", "/operations/steps?at=9000000", "/operations/steps?from=\(run)",
                "/operations/steps/compare?a=\(run)&b=\(other)", "/operations/steps/compare?b=\(run)",
                "/operations/steps/health", "/api/v1/operations/steps/health", "/operations/steps/badge.svg",
                "/api/v1/runs/\(run)/comparison?with=\(other)",
                "/api/v1/runs/\(other)", "/api/v1/runs/\(other)?at=9000000", "/api/v1/runs", "/api/v1/runs?text=open",
                "/runs", "/runs?text=open", "/runs/export", "/schedules", "/api/v1/schedules",
                "/api/v1/schedules/steps", "/api/v1/operations", "/api/v1/operations/steps", "/stores", "/gallery",
                "/system", "/api/v1/feeds/board/changes", "/api/v1/feeds/operation-steps/changes",
                "/api/v1/feeds/run-\(other)/changes", "/api/v1/streams/board", "/api/v1/streams/operation-steps",
                "/api/v1/streams/output-\(other)", "/live/1/operation-steps/snap", "/live/1/run-\(other)/snap",
                "/live/1/board/\(epoch)/0/now", "/name",
            ] {
                let answer = try await server.ask("GET", path, headers: ["X-Test: link"])
                #expect(!answer.text.contains("hush") && !answer.text.contains("mole"), "\(path)")
                #expect(!answer.text.contains(other) || path.contains(other), "\(path)")
                // The feed of the board leads to one's own, which has nothing; everything else is not there.
                let isReset = path.hasPrefix("/live/1/board/")
                #expect(isReset || [401, 403, 404, 405].contains(answer.status), "\(path) \(answer.status)")
            }
            for path in ["/runs/\(run)/cancellation", "/runs/\(run)/retries", "/api/v1/runs/\(run)/cancellation"] {
                let answer = try await server.ask("POST", path, headers: ["X-Test: link"], body: "")
                #expect(answer.status == 403, "\(path)")
            }
        }
    }
}
