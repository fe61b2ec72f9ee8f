import Foundation
import HTTPTypes
import Testing
import TestSupport
@testable import WeirAccess
import WeirBoards
import WeirJournals
import WeirStates

@testable import WeirWeb

/// Links to one run, for somebody who has no account.
@Suite(.timeLimit(.minutes(15)))
struct LinkTests {
    /// Makes a link on the run's page of links; returns the path by which it is opened.
    private func link(to run: String, _ server: AccountServer, by cookie: String, hours: String = "24") async throws
        -> String
    {
        let made = try await server.ask(
            "POST", "/runs/\(run)/links", AccountServer.form + [cookie], body: "hours=\(hours)")
        #expect(made.status == 201)
        let found = try #require(made.text.firstMatch(of: /http:\/\/localhost(\/links\/weir_run_[0-9A-Za-z]{49})/))
        return String(found.1)
    }

    /// Opens a link in a browser without an account; returns the cookie that it keeps.
    private func open(_ path: String, _ server: AccountServer, run: String) async throws -> String {
        let opened = try await server.ask("GET", path)
        #expect(opened.status == 303 && opened["location"] == "/runs/\(run)")
        let field = try #require(opened["set-cookie"])
        #expect(field.contains("HttpOnly") && field.contains("SameSite=Lax") && field.contains("-link="))
        return "Cookie: \(field.prefix { $0 != ";" })"
    }

    @Test func `a link shows its run to whoever has it, and nothing else on any route`() async throws {
        try await AccountServer.run { server in
            let root = try await server.cookie(of: "root")
            let run = try await server.board.start("steps", input: ["label": "mine", "last": 0], actor: "x").run
            let other = try await server.board.start("steps", input: ["label": "hush", "last": 0], actor: "mole").run
            let whole = try await server.ask("GET", "/runs/\(run)", [root])
            #expect(whole.text.contains("href=\"/runs/\(run)/links\""), "\(whole.status) \(whole.text.suffix(3000))")
            let path = try await link(to: run, server, by: root)
            #expect(!(try await server.ask("GET", "/runs/\(run)/links", [root]).text.contains("weir_run_")))
            let guest = try await open(path, server, run: run)
            let page = try await server.ask("GET", "/runs/\(run)", [guest, "Accept: text/html"])
            #expect(page.status == 200 && page.text.contains("mine"))
            #expect(page["cache-control"] == "private, no-store")
            for word in ["/cancellation", "/export", "/links\"", "href=\"/runs\"", "/operations/steps"] {
                #expect(!page.text.contains(word), "\(word)")
            }
            let epoch = server.board.epoch
            let own: Set = [
                "/runs/\(run)", "/runs/\(run)/output", "/runs/\(run)/lines", "/api/v1/runs/\(run)",
                "/api/v1/runs/\(run)/output", "/api/v1/runs/\(run)/artifacts",
                "/api/v1/runs/\(run)/comparison?with=\(run)", "/runs/\(run)?at=9000000",
                "/api/v1/streams/output-\(run)/text", "/runs/\(run)/moments?a=9000000",
                "/widgets/runs/\(run)/after/\(epoch).0",
            ]
            let paths =
                RouteTableTests.paths(run: run, epoch: epoch, tail: "/live/1/board/\(epoch)/0/0")
                + RouteTableTests.paths(run: other, epoch: epoch, tail: "/live/1/run-\(other)/snap")
                + [
                    "/api/v1/runs/\(run)/comparison?with=\(other)", "/runs/\(run)?at=9000000",
                    "/operations/steps?from=\(run)",
                    "/live/1/output-\(other)/snap", "/live/1/board/snap", "/api/v1/streams/operation-steps",
                ]
                + ["/runs/\(run)/links", "/api/v1/runs/\(run)/links", "/users", "/tokens", "/audit", "/api/v1/audit"]
            for path in paths {
                let segments = try RequestTarget(path, mount: MountPath("/")).segments
                let requirement = try #require(AccountRoute(segments)?.requirement ?? Route(segments)?.requirement)
                guard requirement != .nothing else { continue }
                let methods = try #require(AccountRoute(segments)?.methods ?? Route(segments)?.methods)
                for method in methods where method != .head {
                    let body: String? = method == .get ? nil : ""
                    let answer = try await server.ask(method.rawValue, path, [guest] + AccountServer.form, body: body)
                    let isShown = own.contains(path) && method == .get
                    if isShown {
                        #expect(answer.status < 400, "\(path)")
                    } else {
                        #expect([403, 404].contains(answer.status), "\(method) \(path) \(answer.status)")
                    }
                    #expect(!answer.text.contains("hush") && !answer.text.contains("mole"), "\(path)")
                }
            }
            #expect(try await server.board.run(run).endedAt == nil)
        }
    }

    @Test func `a link that is revoked is gone for a held poll, an open stream and a download`() async throws {
        try await AccountServer.run { server in
            let root = try await server.cookie(of: "root")
            let run = try await server.board.start("printer", input: ["lines": 3], actor: "x").run
            try await until { try await server.board.outputTail(of: run).head >= 3 }
            try await until { try await server.board.run(run).state.caseName == "stepping" }
            let path = try await link(to: run, server, by: root)
            let guest = try await open(path, server, run: run)
            let page = try await server.ask("GET", "/runs/\(run)", [guest, "Accept: text/html"]).text
            let start = try #require(page.range(of: "data-next=\"")).upperBound
            let next = String(page[start...].prefix { $0 != "\"" })
            let (poll, events) = (try await server.connect(), try await server.connect())
            try await poll.send("GET", next, headers: [guest])
            try await events.send("GET", "/api/v1/streams/run-\(run)?live=sse&offset=now", headers: [guest])
            // What a download looks at before each piece.
            let opened = try #require(server.directory.authorization(ofLink: String(path.dropFirst("/links/".count))))
            let check = AccessCheck(control: server.directory.control, isOpen: false) { _, _ in .askRoute }
            let download = HeldRight(
                Admission(authorization: opened, check: check), .run(.see, run), operation: "printer")
            #expect(download.isHeld)
            try await until { server.dashboard.held == 2 }
            let id = try #require(server.directory.links(to: run).first).id
            let clock = ContinuousClock()
            let began = clock.now
            let revoked = try await server.ask(
                "POST", "/runs/\(run)/links/\(id)/revocation", AccountServer.form + [root], body: "")
            #expect(revoked.status == 303)
            #expect(try await poll.response().status == 401)
            _ = try? await events.response()
            #expect(clock.now - began < .seconds(30))
            #expect(!download.isHeld)
            for path in ["/runs/\(run)", "/runs/\(run)/output", "/api/v1/streams/run-\(run)"] {
                #expect(try await server.ask("GET", path, [guest]).status == 401, "\(path)")
            }
            server.gate.finish()
        }
    }

    @Test func `who may not export a run makes no link to it, and whose run is not seen has no page of links`()
        async throws
    {
        try await AccountServer.run { server in
            let (vera, otto) = (
                try await server.cookie(of: "vera"), try await server.person("otto", "operator", operations: ["steps"])
            )
            let token = try await server.bearer("admin")
            let run = try await server.board.start("steps", input: ["label": "a", "last": 0], actor: "x").run
            let hidden = try await server.board.start("secret", input: ["label": "a", "last": 0], actor: "x").run
            let absent = String(hidden.reversed())
            for (method, path) in [
                ("GET", "/runs/ID/links"), ("POST", "/runs/ID/links"), ("POST", "/api/v1/runs/ID/links"),
            ] {
                func ask(_ run: String, _ who: [String]) async throws -> RawResponse {
                    let type = path.hasPrefix("/api") ? "application/json" : "application/x-www-form-urlencoded"
                    let body = path.hasPrefix("/api") ? #"{"hours": 1}"# : "hours=1"
                    return try await server.ask(
                        method, path.replacing("ID", with: run),
                        who + ["Content-Type: \(type)", "Sec-Fetch-Site: same-origin"],
                        body: method == "GET" ? nil : body)
                }
                #expect(try await ask(run, [vera]).status == 403, "\(method) \(path)")
                #expect(try await ask(run, []).status == 401, "\(method) \(path)")
                #expect([200, 201].contains(try await ask(run, [otto]).status), "\(method) \(path)")
                let (one, other) = (try await ask(hidden, [otto]), try await ask(absent, [otto]))
                #expect(one.status == 404 && other.status == 404, "\(method) \(path)")
                #expect(one.text.replacing(hidden, with: "") == other.text.replacing(absent, with: ""))
                if method == "POST" { #expect(try await ask(run, [token]).status == 422, "\(path)") }
            }
            #expect(server.directory.links(to: run).allSatisfy { $0.maker?.name == "otto" })
        }
    }

    @Test func `a link is revoked by its maker and by who administers, at its own run only`() async throws {
        try await AccountServer.run { server in
            let (root, otto, oda) = (
                try await server.cookie(of: "root"), try await server.person("otto", "operator"),
                try await server.person("oda", "operator")
            )
            let run = try await server.board.start("steps", input: ["label": "a", "last": 0], actor: "x").run
            let second = try await server.board.start("steps", input: ["label": "b", "last": 0], actor: "x").run
            _ = try await link(to: run, server, by: otto)
            _ = try await link(to: run, server, by: otto)
            let ids = server.directory.links(to: run).map(\.id)
            let (first, last) = (try #require(ids.first), try #require(ids.last))
            func revoke(_ run: String, _ id: String, _ cookie: String) async throws -> Int {
                let headers = AccountServer.form + [cookie]
                return try await server.ask("DELETE", "/api/v1/runs/\(run)/links/\(id)", headers, body: "").status
            }
            #expect(try await revoke(run, first, oda) == 404)
            #expect(try await revoke(second, first, otto) == 404)
            #expect(try await revoke(run, first, otto) == 204)
            #expect(try await revoke(run, first, otto) == 404)
            #expect(try await revoke(run, last, root) == 204)
            #expect(server.directory.links(to: run).isEmpty)
            let seen = try await server.ask("GET", "/runs/\(run)/links", [oda]).text
            #expect(!seen.contains("/revocation"))
        }
    }

    @Test func `a program makes, lists and uses a link`() async throws {
        try await AccountServer.run { server in
            let headers = [
                try await server.person("otto", "operator"), "Content-Type: application/json",
                "Sec-Fetch-Site: same-origin",
            ]
            let run = try await server.board.start("steps", input: ["label": "a", "last": 0], actor: "x").run
            let path = "/api/v1/runs/\(run)/links"
            let made = try await server.ask("POST", path, headers, body: #"{"hours": 2}"#)
            #expect(made.status == 201)
            let url = try #require(try made.json()["url"]?.string)
            let secret = try #require(url.split(separator: "/").last)
            let listed = try await server.ask("GET", path, headers)
            #expect(try listed.json()["links"]?.array?.first?["maker"]?.string == "otto")
            #expect(!listed.text.contains(secret))
            let bearer = "Authorization: Bearer \(secret)"
            #expect(try await server.ask("GET", "/api/v1/runs/\(run)", [bearer]).status == 200)
            #expect(try await server.ask("GET", "/api/v1/runs", [bearer]).status == 404)
            #expect(try await server.ask("POST", path, [bearer] + headers, body: #"{"hours": 2}"#).status == 403)
            for body in [#"{"hours": 0}"#, #"{"hours": 9000}"#, #"{"hours": 1.5}"#, #"{"hours": "x"}"#, "{}"] {
                #expect(try await server.ask("POST", path, headers, body: body).status == 422, "\(body)")
            }
        }
    }

    @Test func `a link has the address by which browsers reach the server, whatever a proxy calls it`() async throws {
        try await AccountServer.run(publicURL: "https://weir.example/team") { server in
            let root = try await server.cookie(of: "root")
            let run = try await server.board.start("steps", input: ["label": "a", "last": 0], actor: "x").run
            let begin = "https://weir.example/team/links/weir_run_"
            let page = try await server.ask(
                "POST", "/runs/\(run)/links", AccountServer.form + [root], body: "hours=1")
            #expect(page.text.contains(begin))
            let made = try await server.ask(
                "POST", "/api/v1/runs/\(run)/links",
                [root, "Content-Type: application/json", "Sec-Fetch-Site: same-origin"], body: #"{"hours": 1}"#)
            #expect(try made.json()["url"]?.string?.hasPrefix(begin) == true)
        }
    }

    @Test func `whoever is signed in stays so, and a link gives them nothing`() async throws {
        try await AccountServer.run { server in
            let root = try await server.cookie(of: "root")
            let otto = try await server.person("otto", "operator", operations: ["steps"])
            let run = try await server.board.start("secret", input: ["label": "a", "last": 0], actor: "x").run
            let path = try await link(to: run, server, by: root)
            let opened = try await server.ask("GET", path, [otto, "Accept: text/html"])
            #expect(opened.status == 403 && opened["set-cookie"] == nil && opened.text.contains("otto"))
            #expect(try await server.ask("GET", path, [root]).status == 303)
            let guest = try await open(path, server, run: run)
            let both = "\(otto); \(guest.dropFirst("Cookie: ".count))"
            #expect(try await server.ask("GET", "/account", [both]).text.contains("otto"))
            #expect(try await server.ask("GET", "/runs/\(run)", [both]).status == 404)
            // Signing out ends both.
            let out = try await server.ask("POST", "/sign-out", AccountServer.form + [both], body: "")
            #expect(out.status == 303)
        }
    }

    @Test func `a link that is forged, cut short, expired or another kind of secret opens nothing`() async throws {
        try await AccountServer.run { server in
            let root = try await server.cookie(of: "root")
            let run = try await server.board.start("steps", input: ["label": "a", "last": 0], actor: "x").run
            let path = try await link(to: run, server, by: root)
            let token = try await server.bearer("admin").replacing("Authorization: Bearer ", with: "")
            let forged = SecretText(.link, bytes: SecretText.random(32)).text
            for text in [String(path.dropLast()), path + "x", "/links/\(token)", "/links/\(forged)", "/links/x"] {
                let answer = try await server.ask("GET", text, ["Accept: text/html"])
                #expect(answer.status == 404 && answer["set-cookie"] == nil, "\(text)")
            }
            let name = "\(server.directory.cookie.name)-link"
            for value in [token, forged, "", String(path.dropFirst("/links/".count)) + "; \(name)=\(forged)"] {
                let answer = try await server.ask("GET", "/runs/\(run)", ["Cookie: \(name)=\(value)"])
                #expect(answer.status == 401, "\(value)")
            }
        }
    }

    @Test func `who holds a poll for each of many links keeps nobody else out`() async throws {
        try await AccountServer.run { server in
            let maker = try #require(server.directory.users.first { $0.name == "root" })
            let principal = Principal(
                .person, name: maker.name, assignments: [RoleAssignment("admin")])
            var guests: [RawConnection] = []
            let limit = DashboardCache.limit
            for _ in 0..<limit {
                let run = try await server.board.start("steps", input: ["label": "a", "last": 0], actor: "x").run
                let link = try await server.directory.createLink(to: run, of: "steps", hours: 1, by: principal).link
                let bearer = "Authorization: Bearer \(link.text)"
                let page = try await server.ask("GET", "/runs/\(run)", [bearer]).text
                let start = try #require(page.range(of: "data-next=\"")).upperBound
                let guest = try await server.connect()
                try await guest.send("GET", String(page[start...].prefix { $0 != "\"" }), headers: [bearer])
                guests.append(guest)
            }
            try await until { server.dashboard.audiences.count >= limit + 2 }
            let otto = try await server.person("otto", "operator")
            #expect(try await server.ask("GET", "/", [otto]).status == 200)
            #expect(server.dashboard.audiences.count == limit + 2)
            // Whose place was taken is told to come back, and does.
            #expect(try await guests.first?.response().status == 200)
            for guest in guests { await guest.close() }
        }
    }

    @Test func `where nobody is asked there are no links`() async throws {
        try await AccountServer.run(.none(allowsForwarded: false), isEmpty: true) { server in
            let run = try await server.board.start("steps", input: ["label": "a", "last": 0], actor: "x").run
            #expect(try await server.ask("GET", "/runs/\(run)/links").status == 404)
            #expect(
                try await server.ask("POST", "/runs/\(run)/links", AccountServer.form, body: "hours=1").status == 404)
        }
    }
}
