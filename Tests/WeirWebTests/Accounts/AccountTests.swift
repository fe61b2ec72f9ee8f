import Foundation
import Testing
import WeirAccess
import WeirStates

@testable import WeirWeb

@Suite(.timeLimit(.minutes(15)))
struct AccountTests {
    /// Every route about accounts, with a method and a path that ask for it.
    private static let routes: [(method: String, path: String)] = [
        ("GET", "/sign-in"), ("GET", "/sign-in/provider"), ("GET", "/sign-in/return"), ("POST", "/sign-out"),
        ("GET", "/setup"), ("GET", "/account"), ("POST", "/account/password"), ("GET", "/users"), ("POST", "/users"),
        ("POST", "/users/x/roles"),
        ("POST", "/users/x/password"), ("POST", "/users/x/removal"), ("GET", "/tokens"), ("POST", "/tokens"),
        ("POST", "/tokens/x/revocation"), ("GET", "/audit"), ("GET", "/audit/export"), ("GET", "/api/v1/account"),
        ("GET", "/api/v1/users"), ("POST", "/api/v1/users"), ("DELETE", "/api/v1/users/x"),
        ("PUT", "/api/v1/users/x/roles"), ("POST", "/api/v1/users/x/roles"), ("GET", "/api/v1/grants"),
        ("PUT", "/api/v1/users/x/password"), ("GET", "/api/v1/tokens"),
        ("POST", "/api/v1/tokens"), ("DELETE", "/api/v1/tokens/x"), ("GET", "/api/v1/audit"),
        ("POST", "/sign-in/back-channel-logout"), ("POST", "/users/x/ending"), ("GET", "/api/v1/people"),
        ("DELETE", "/api/v1/people/x"), ("POST", "/users/invitation"), ("POST", "/users/x/password-link"),
        ("POST", "/users/x/password-link/revocation"), ("POST", "/users/x/password-change"),
        ("POST", "/api/v1/users/x/invitation"), ("POST", "/api/v1/users/x/password-link"),
        ("DELETE", "/api/v1/users/x/password-link"), ("PUT", "/api/v1/users/x/password-change"),
        ("POST", "/users/x/second-factor/removal"), ("DELETE", "/api/v1/users/x/second-factor"),
        ("GET", "/sign-in/code"), ("POST", "/account/second-factor"),
    ]

    @Test func `every route is held to its requirement for every kind of principal`() async throws {
        try await AccountServer.run { server in
            let root = try await server.cookie(of: "root")
            let vera = try await server.cookie(of: "vera")
            let admin = try await server.bearer("admin")
            let principals = [
                ("anonymous", []), ("viewer", [vera]), ("administrator", [root]), ("token", [admin]),
                ("bad token", ["Authorization: Bearer weir_x"]),
            ]
            for (method, path) in Self.routes {
                let segments = path.split(separator: "/").map(String.init)
                let route = try #require(AccountRoute(segments), "\(path)")
                let mayAdminister: Bool
                switch route.requirement {
                case .nothing: continue
                case .everything: mayAdminister = true
                default: mayAdminister = false
                }
                for (name, headers) in principals {
                    let response = try await server.ask(
                        method, path, headers + AccountServer.form, body: method == "GET" ? nil : "")
                    let refused = [401, 403].contains(response.status)
                    let isAllowed =
                        switch name {
                        case "administrator": true
                        case "token": mayAdminister
                        case "viewer": !mayAdminister
                        default: false
                        }
                    #expect(refused == !isAllowed, "\(method) \(path) by \(name): \(response.status)")
                }
            }
        }
    }

    @Test func `the form to sign in leads a person who is signed in to the page that they came for`() async throws {
        try await AccountServer.run { server in
            for (query, location) in [("", "/"), ("?back=/runs%3Fphase%3Dfailed", "/runs?phase=failed")] {
                let answer = try await server.ask("GET", "/sign-in" + query, [server.cookie(of: "vera")])
                #expect(answer.status == 303 && answer.headers["location"] == location)
            }
            let token = try await server.bearer("viewer")
            #expect(try await server.ask("GET", "/sign-in", [token]).status == 200)
        }
    }

    @Test func `whoever signs in has a cookie that no script reads, and whoever signs out has none`() async throws {
        try await AccountServer.run { server in
            let page = try await server.ask("GET", "/sign-in")
            #expect(page.status == 200 && page.text.contains("type=\"password\""))
            #expect(page.headers["cache-control"] == "private, no-store")
            let wrong = try await server.ask(
                "POST", "/sign-in", AccountServer.form, body: "name=%3Cb%3Eroot&password=guess-guess")
            #expect(wrong.status == 422)
            #expect(wrong.headers["set-cookie"] == nil)
            #expect(!wrong.text.contains("guess-guess") && !wrong.text.contains("<b>root"))
            let right = try await server.ask(
                "POST", "/sign-in", AccountServer.form, body: "name=root&password=correct+horse&back=/runs")
            #expect(right.status == 303 && right.headers["location"] == "/runs")
            let field = try #require(right.headers["set-cookie"])
            #expect(field.contains("HttpOnly") && field.contains("SameSite=Lax") && field.hasPrefix("weir-"))
            let cookie = "Cookie: \(field.prefix { $0 != ";" })"
            #expect(try await server.ask("GET", "/", [cookie]).status == 200)
            #expect(try await server.ask("GET", "/account", [cookie]).text.contains("root"))
            let out = try await server.ask("POST", "/sign-out", AccountServer.form + [cookie], body: "")
            #expect(out.status == 303 && out.headers["set-cookie"]?.contains("Max-Age=0") == true)
            #expect(try await server.ask("GET", "/", [cookie]).status == 401)
        }
    }

    @Test func `a browser that may not see a page is led to the sign-in and back`() async throws {
        try await AccountServer.run { server in
            let page = try await server.ask("GET", "/runs?phase=failed", ["Accept: text/html"])
            #expect(page.status == 303)
            #expect(page.headers["location"] == "/sign-in?back=%2Fruns%3Fphase%3Dfailed")
            #expect(try await server.ask("GET", "/api/v1/runs", ["Accept: application/json"]).status == 401)
        }
    }

    @Test(arguments: ["//evil.example/", "https://evil.example/", "/\\evil.example", "/%0d%0aX: y"])
    func `the way back never leads to another site`(back: String) async throws {
        try await AccountServer.run { server in
            let encoded = PercentEncoding.encode(back)
            let response = try await server.ask(
                "POST", "/sign-in", AccountServer.form, body: "name=root&password=correct+horse&back=\(encoded)")
            let location = try #require(response.headers["location"])
            #expect(location.hasPrefix("/") && !location.hasPrefix("//") && !location.contains("\\"))
        }
    }

    @Test func `nothing is changed for a page of another site, nor by a cookie that says not where it comes from`()
        async throws
    {
        try await AccountServer.run { server in
            let cookie = try await server.cookie(of: "root")
            let type = "Content-Type: application/x-www-form-urlencoded"
            let body = "name=eve&password=another+horse&role=admin"
            for headers in [
                [type, cookie], [type, cookie, "Origin: https://evil.example"],
                [type, cookie, "Sec-Fetch-Site: cross-site"], [type, cookie, "Origin: null"],
            ] {
                #expect(try await server.ask("POST", "/users", headers, body: body).status == 403)
                #expect(try await server.ask("POST", "/sign-out", headers, body: "").status == 403)
            }
            #expect(server.directory.users.count == 2)
            #expect(try await server.ask("GET", "/account", [cookie]).text.contains("root"))
        }
    }

    /// The fields of a form for a role that is for everything.
    private static let everything = "&scope=all&operations=&stores=&tags="

    @Test func `users are added, given another role and removed on their page`() async throws {
        try await AccountServer.run { server in
            let headers = AccountServer.form + [try await server.cookie(of: "root")]
            let added = try await server.ask(
                "POST", "/users", headers, body: "name=ana&password=battery+staple&role=operator" + Self.everything)
            #expect(added.status == 303)
            #expect(try await server.ask("GET", "/users", headers).text.contains(">ana<"))
            #expect(
                try await server.ask(
                    "POST", "/users/ana/roles", headers, body: "was=operator&role=viewer" + Self.everything
                )
                .status == 303)
            #expect(server.directory.users.first { $0.name == "ana" }?.roles.map(\.role) == ["viewer"])
            let steps = "role=operator&scope=only&operations=steps&stores=&tags="
            #expect(try await server.ask("POST", "/users/ana/roles", headers, body: steps).status == 303)
            let page = try await server.ask("GET", "/users", headers).text
            #expect(page.contains("viewer, operator (operations steps)"))
            let remove = "was=operator+(operations+steps)&remove=yes"
            #expect(try await server.ask("POST", "/users/ana/roles", headers, body: remove).status == 303)
            let again = try await server.ask(
                "POST", "/users", headers, body: "name=ana&password=battery+staple&role=operator" + Self.everything)
            #expect(again.status == 409 && again.text.contains("There is a user ana already"))
            #expect(try await server.ask("POST", "/users/root/removal", headers, body: "").status == 409)
            #expect(try await server.ask("POST", "/users/ana/removal", headers, body: "").status == 303)
            #expect(!server.directory.users.contains { $0.name == "ana" })
        }
    }

    @Test func `programs give one more role, and see what the settings grant`() async throws {
        try await AccountServer.run { server in
            let json = ["Content-Type: application/json", try await server.bearer("admin")]
            let only = SubjectSelection(operations: [IDPattern("steps")].compactMap { $0 }, tags: ["production"])
            server.directory.control.replace(
                rules: AccessRules(grants: [RoleGrant("operator", on: only, to: [.group("ops"), .signedIn])]))
            let grants = try await server.ask("GET", "/api/v1/grants", json).json()["grants"]
            #expect(
                grants
                    == [["role": "operator (operations steps; tags production)", "to": ["group:ops", "signed-in"]]])
            let page = try await server.ask("GET", "/users", [try await server.cookie(of: "root")]).text
            #expect(page.contains("operator (operations steps; tags production)") && page.contains("group:ops"))
            let role = #"{"role": "operator", "operations": ["steps"]}"#
            for status in [204, 409] {
                #expect(try await server.ask("POST", "/api/v1/users/vera/roles", json, body: role).status == status)
            }
            #expect(server.directory.users.last?.roles.words == "viewer, operator (operations steps)")
            let wrong = #"{"role": "operator", "operation": ["steps"]}"#
            #expect(try await server.ask("POST", "/api/v1/users/vera/roles", json, body: wrong).status == 422)
            let changes = try await server.directory.audit.page(AuditFilter(action: .changeRoles)).records
            #expect(changes.map(\.entry.detail) == ["before: viewer; after: viewer, operator (operations steps)"])
        }
    }

    @Test func `whoever has no role at all makes no token, and has no page of them`() async throws {
        try await AccountServer.run { server in
            try await server.directory.addUser("zoe", password: AccountServer.password, roles: [], by: .system)
            let headers = AccountServer.form + [try await server.cookie(of: "zoe")]
            #expect(try await server.ask("GET", "/tokens", headers).status == 403)
            let body = "name=ci&role=viewer&operations=&days=30"
            #expect(try await server.ask("POST", "/tokens", headers, body: body).status == 403)
            #expect(server.directory.tokens().isEmpty)
        }
    }

    @Test func `a token is shown once, works, and stops when it is revoked`() async throws {
        try await AccountServer.run { server in
            let headers = AccountServer.form + [try await server.cookie(of: "root")]
            let made = try await server.ask(
                "POST", "/tokens", headers, body: "name=ci&role=admin&operations=&days=30")
            #expect(made.status == 201)
            let found = try #require(made.text.firstMatch(of: /weir_[0-9A-Za-z]{49}/))
            let bearer = "Authorization: Bearer \(found.output)"
            #expect(!(try await server.ask("GET", "/tokens", headers).text.contains(found.output)))
            #expect(try await server.ask("GET", "/api/v1/operations", [bearer]).status == 200)
            let id = try #require(server.directory.tokens().first).id
            #expect(try await server.ask("POST", "/tokens/\(id)/revocation", headers, body: "").status == 303)
            let after = try await server.ask("GET", "/api/v1/operations", [bearer])
            #expect(after.status == 401 && after.headers["www-authenticate"]?.contains("invalid_token") == true)
        }
    }

    @Test func `the first user is made with the code, and only then`() async throws {
        try await AccountServer.run(isEmpty: true) { server in
            #expect(try await server.ask("GET", "/setup").status == 404)
            let code = try #require(server.directory.makeSetUpCode())
            #expect(try await server.ask("GET", "/", ["Accept: text/html"]).headers["location"] == "/setup")
            let body = "name=root&password=correct+horse&code="
            let wrong = try await server.ask("POST", "/setup", AccountServer.form, body: body + "nonsense")
            #expect(wrong.status == 403 && !wrong.text.contains(code))
            let right = try await server.ask("POST", "/setup", AccountServer.form, body: body + code)
            #expect(right.status == 303 && right.headers["set-cookie"] != nil)
            #expect(try await server.ask("GET", "/setup").status == 404)
            let late = try await server.ask("POST", "/setup", AccountServer.form, body: body + code)
            #expect(late.status == 404)
        }
    }

    @Test func `the audit has the sign-ins and refusals, and shows them to administrators`() async throws {
        try await AccountServer.run { server in
            let root = try await server.cookie(of: "root")
            let vera = try await server.cookie(of: "vera")
            for _ in 0..<5 { #expect(try await server.ask("GET", "/audit", [vera]).status == 403) }
            let page = try await server.ask("GET", "/audit?action=administer&outcome=refused", [root])
            #expect(page.status == 200 && page.text.contains("vera") && page.text.contains("4 times"))
            #expect(try await server.ask("GET", "/audit?action=fly", [root]).status == 400)
            let api = try await server.ask("GET", "/api/v1/audit?action=sign-in", [root])
            #expect(api.text.contains("\"name\":\"root\""))
            let export = try await server.ask("GET", "/audit/export", [root])
            #expect(
                export.text.contains("\"action\":\"export-audit\"") || export.text.contains("\"action\":\"sign-in\""))
            #expect(try AuditVerification(folder: server.folder).faults.isEmpty)
        }
    }

    @Test func `an administrator downloads the audit of chosen days as JSON lines and as CSV`() async throws {
        try await AccountServer.run { server in
            let root = try await server.cookie(of: "root")
            try await server.directory.removeUser("vera", by: Principal(.person, name: "=cmd, \"x\""))
            await server.directory.audit.flush()
            func lines(_ query: String) async throws -> [Substring] {
                let answer = try await server.ask("GET", "/audit/export?\(query)", [root])
                #expect(answer.status == 200, "\(query)")
                return answer.text.split(whereSeparator: \.isNewline)
            }
            let json = try await lines("format=jsonl").map { try JSONValue(parsing: String($0)) }
            #expect(json.first?["n"]?.integer == 1 && json.contains { $0["action"] == "remove-user" })
            let csv = try await lines("format=csv")
            #expect(csv.first?.hasPrefix("number,at,principal,name,action,subject,outcome,count,") == true)
            #expect(csv.contains { $0.contains(#""'=cmd, ""x""",remove-user,user:vera,done,1,"#) })
            let day = try #require(csv.dropFirst().first?.split(separator: ",").dropFirst().first?.prefix(10))
            #expect(try await lines("format=csv&from=\(day)&to=\(day)").count >= csv.count)
            #expect(try await lines("format=csv&to=2001-01-01").count == 1)
            #expect(try await lines("format=jsonl&from=9000-01-01").isEmpty)
            for query in ["format=xml", "from=2026-02-30", "to=yesterday", "day=2026-11-21", "from=2026-1-1"] {
                #expect(try await server.ask("GET", "/audit/export?\(query)", [root]).status == 400, "\(query)")
            }
        }
    }

    @Test func `a password that comes in plain text from elsewhere is not taken`() async throws {
        try await AccountServer.run { server in
            #expect(!server.directory.takesPasswords(from: "192.0.2.1"))
            #expect(server.directory.takesPasswords(from: "127.0.0.1"))
        }
    }

    @Test func `where nobody is asked, everything is as ever, but for tokens and what comes through a proxy`()
        async throws
    {
        try await AccountServer.run(.none(allowsForwarded: false), isEmpty: true) {
            (server: AccountServer) async throws -> Void in
            #expect(try await server.ask("GET", "/").status == 200)
            for path in ["/", "/api/v1/runs", "/live/1/board/x/0/0", "/live/1/board/snap"] {
                #expect(try await server.ask("GET", path, ["X-Forwarded-For: 203.0.113.9"]).status == 403, "\(path)")
                #expect(try await server.ask("GET", path, ["Authorization: Bearer weir_x"]).status == 401, "\(path)")
            }
            #expect(try await server.ask("GET", "/sign-in").status == 404)
            #expect(try await server.ask("GET", "/users").status == 404)
            #expect(try await server.ask("GET", "/tokens").status == 200)
        }
    }
}
