import Foundation
import TestSupport
import Testing
@testable import WeirAccess
import WeirBoards
import WeirJournals
import WeirStates

@testable import WeirWeb

/// What the audit has of what people do to operations, runs and stores.
@Suite(.timeLimit(.minutes(15)))
struct CommandAuditTests {
    private func entries(_ server: AccountServer, _ action: AuditAction) async throws -> [AuditEntry] {
        try await server.directory.audit.page(AuditFilter(action: action)).records.map(\.entry)
    }

    private static let json = ["Content-Type: application/json", "Sec-Fetch-Site: same-origin"]

    @Test func `every command is written down with who, from where, what, its outcome and the request's id`()
        async throws
    {
        try await AccountServer.run { server in
            let root = try await server.cookie(of: "root")
            func post(_ path: String, _ body: String = "{}", _ method: String = "POST") async throws -> RawResponse {
                try await server.ask(method, path, Self.json + [root], body: body)
            }
            let started = try await post("/api/v1/operations/steps/runs", #"{"label": "a", "last": 0}"#)
            #expect(started.status == 201)
            let run = try #require(try started.json()["id"]?.string)
            #expect(try await post("/api/v1/runs/\(run)/cancellation").status < 300)
            await server.board.outcome(of: run)
            #expect(try await post("/api/v1/runs/\(run)/retries").status == 201)
            #expect(try await post("/api/v1/stores/bell/actions", #"{"type": "hand", "name": "a"}"#).status == 200)
            #expect(try await post("/api/v1/stores/bell/reset").status == 200)
            let state = try await server.ask("GET", "/api/v1/stores/bell", [root])
            let sequence = try #require(try state.json()["sequence"]?.integer)
            #expect(try await post("/api/v1/stores/bell/state?at=\(sequence)", "", "PUT").status == 200)
            #expect(try await server.ask("GET", "/runs/\(run)/export", [root]).status == 200)
            #expect(try await server.ask("GET", "/api/v1/runs/\(run)/output", [root]).status == 200)
            let expected: [(AuditAction, String)] = [
                (.start, "operation:steps"), (.cancel, "run:\(run)"), (.retry, "run:\(run)"), (.act, "store:bell"),
                (.reset, "store:bell"), (.restore, "store:bell"), (.export, "run:\(run)"),
                (.readOutput, "run:\(run)"),
            ]
            for (action, subject) in expected {
                let found = try await entries(server, action)
                #expect(found.count == 1, "\(action)")
                let entry = try #require(found.first)
                #expect(entry.subject == subject && entry.outcome == .done && entry.name == "root", "\(action)")
                #expect(entry.address == "127.0.0.1" && entry.request?.isEmpty == false, "\(action)")
            }
            #expect(try await entries(server, .start).first?.detail == "run \(run)")
            #expect(try AuditVerification(folder: server.folder).faults.isEmpty)
        }
    }

    @Test func `changes of users, tokens and links, sign-ins and sign-outs have the id of their request`() async throws
    {
        try await AccountServer.run { server in
            let root = try await server.cookie(of: "root")
            let run = try await server.board.start("steps", input: ["label": "a", "last": 0], actor: "x").run
            func send(_ method: String, _ path: String, _ body: String) async throws -> RawResponse {
                try await server.ask(method, path, Self.json + [root], body: body)
            }
            let user = #"{"name": "ana", "password": "battery staple", "roles": [{"role": "viewer"}]}"#
            #expect(try await send("POST", "/api/v1/users", user).status == 201)
            let role = #"{"roles": [{"role": "operator"}]}"#
            #expect(try await send("PUT", "/api/v1/users/ana/roles", role).status == 204)
            let password = #"{"password": "staple battery"}"#
            #expect(try await send("PUT", "/api/v1/users/ana/password", password).status == 204)
            #expect(try await send("DELETE", "/api/v1/users/ana", "").status == 204)
            let token = try await send("POST", "/api/v1/tokens", #"{"name": "ci", "roles": [{"role": "viewer"}]}"#)
            let id = try #require(try token.json()["id"]?.string)
            #expect(try await send("DELETE", "/api/v1/tokens/\(id)", "").status == 204)
            let link = try await send("POST", "/api/v1/runs/\(run)/links", #"{"hours": 1}"#)
            let linkID = try #require(try link.json()["id"]?.string)
            let url = try #require(try link.json()["url"]?.string.flatMap { URL(string: $0)?.path })
            #expect(try await server.ask("GET", url).status == 303)
            #expect(try await send("DELETE", "/api/v1/runs/\(run)/links/\(linkID)", "").status == 204)
            #expect(try await server.ask("GET", "/api/v1/audit", [root]).status == 200)
            #expect(try await server.ask("GET", "/audit/export", [root]).status == 200)
            _ = try await server.ask("POST", "/sign-in", AccountServer.form, body: "name=root&password=guess-guess")
            _ = try await server.ask("POST", "/sign-out", AccountServer.form + [root], body: "")
            for action in [
                AuditAction.signIn, .addUser, .changeRoles, .changePassword, .removeUser, .createToken, .revokeToken,
                .createLink, .openLink, .revokeLink, .readAudit, .exportAudit, .signOut,
            ] {
                let found = try await entries(server, action).filter { $0.principal != "system:system" }
                #expect(!found.isEmpty, "\(action)")
                #expect(found.allSatisfy { $0.request?.isEmpty == false && $0.address == "127.0.0.1" }, "\(action)")
            }
        }
    }

    @Test func `what is refused is counted together, and what fails is said to have failed`() async throws {
        try await AccountServer.run { server in
            let (root, vera) = (try await server.cookie(of: "root"), try await server.cookie(of: "vera"))
            for _ in 0..<4 {
                let answer = try await server.ask(
                    "POST", "/api/v1/operations/steps/runs", Self.json + [vera], body: #"{"label": "a", "last": 0}"#)
                #expect(answer.status == 403)
            }
            let refused = try await entries(server, .start)
            #expect(
                refused.map(\.count) == [3, 1] && refused.allSatisfy { $0.outcome == .refused && $0.name == "vera" })
            #expect(refused.allSatisfy { $0.subject == "operation:steps" })
            #expect(
                try await server.ask("POST", "/api/v1/operations/steps/runs", Self.json + [root], body: "{}").status
                    == 422)
            let failed = try #require(try await entries(server, .start).first)
            #expect(failed.outcome == .failed && failed.detail?.contains("422") == true)
        }
    }

    @Test func `tries to open links that nobody made are in the audit, without what was tried`() async throws {
        try await AccountServer.run { server in
            for number in 0..<3 {
                let answer = try await server.ask("GET", "/links/weir_l_guess\(number)", ["Accept: text/html"])
                #expect(answer.status == 404)
            }
            let found = try await entries(server, .openLink)
            #expect(found.map(\.count).reduce(0, +) == 3)
            #expect(found.allSatisfy { $0.outcome == .refused && $0.principal == "anonymous:anonymous" })
            #expect(found.allSatisfy { !"\($0)".contains("guess") })
        }
    }

    @Test func `a stranger cannot write what they like into the audit, however much they ask`() async throws {
        try await AccountServer.run { server in
            for number in 0..<300 {
                let path = ["/runs/hostile\(number)", "/stores/hostile\(number)/actions"][number % 2]
                _ = try await server.ask(
                    number % 2 == 0 ? "GET" : "POST", path, Self.json, body: number % 2 == 0 ? nil : "{}")
                _ = try await server.ask("GET", "/api/v1/runs", ["Authorization: Bearer weir_\(number)"])
            }
            let page = try await server.directory.audit.page(AuditFilter(outcome: .refused), limit: 1_000)
            #expect(page.records.count < 20)
            #expect(page.records.map(\.entry.count).reduce(0, +) == 600)
            #expect(page.records.allSatisfy { $0.entry.subject == nil && $0.entry.principal == "anonymous:anonymous" })
        }
    }

    @Test func `looks at output are counted together, on the run's page too`() async throws {
        try await AccountServer.run { server in
            let vera = try await server.cookie(of: "vera")
            let run = try await server.board.start("printer", input: ["lines": 3], actor: "x").run
            try await until { try await server.board.outputTail(of: run).head >= 3 }
            for path in ["/runs/\(run)", "/runs/\(run)/output", "/api/v1/streams/output-\(run)"] {
                #expect(try await server.ask("GET", path, [vera]).status == 200)
            }
            let quiet = try await server.board.start("steps", input: ["label": "a", "last": 0], actor: "x").run
            #expect(try await server.ask("GET", "/runs/\(quiet)", [vera]).status == 200)
            let found = try await entries(server, .readOutput)
            #expect(found.map(\.count).reduce(0, +) == 3)
            #expect(found.allSatisfy { $0.name == "vera" && $0.subject?.contains(run) == true })
            server.gate.finish()
        }
    }

    @Test func `who acts in another's name is written down as themselves`() async throws {
        try await AccountServer.run { server in
            let bearer = try await server.bearer("admin")
            let answer = try await server.ask(
                "POST", "/api/v1/operations/steps/runs",
                ["Content-Type: application/json", bearer, "X-Weir-Actor: mole"],
                body: #"{"label": "a", "last": 0}"#)
            #expect(answer.status == 201)
            let entry = try #require(try await entries(server, .start).first)
            #expect(entry.name == "token admin" && entry.detail?.hasPrefix("as mole") == true)
            for reserved in ["schedule", "hook push", "token root by ana"] {
                let answer = try await server.ask(
                    "POST", "/api/v1/operations/steps/runs",
                    ["Content-Type: application/json", bearer, "X-Weir-Actor: \(reserved)"],
                    body: #"{"label": "a", "last": 0}"#)
                #expect(answer.status == 400, "\(reserved)")
            }
        }
    }

    @Test func `what a hook starts or fails at, and who tries to without its secret, is in the audit`() async throws {
        let trigger = TriggerRule(
            operation: "steps", name: "push", form: .github, secret: "git",
            inputs: [
                .init(name: "label", value: try PathTemplate("a")), .init(name: "last", value: try PathTemplate("0")),
            ])
        try await AccountServer.run(hooks: KnownHooks([trigger], secrets: ["git": "known"])) { server in
            for (secret, body, status) in [("guessed", "{}", 401), ("known", "{}", 202), ("known", "{", 400)] {
                let signature = WebhookSignature.github(Data(body.utf8), secret: secret)
                let answer = try await server.ask(
                    "POST", "/hooks/steps/push",
                    ["Content-Type: application/json", "X-Hub-Signature-256: \(signature)"], body: body)
                #expect(answer.status == status)
            }
            let found = try await entries(server, .trigger)
            #expect(Set(found.map(\.outcome)) == [.refused, .done, .failed])
            #expect(found.allSatisfy { $0.subject == "hook:steps/push" })
        }
    }

    @Test func `an address that a stranger makes up is not the one in the audit`() async throws {
        try await AccountServer.run { server in
            let root = try await server.cookie(of: "root")
            _ = try await server.ask(
                "POST", "/api/v1/operations/steps/runs", Self.json + [root, "X-Forwarded-For: 203.0.113.9"],
                body: #"{"label": "a", "last": 0}"#)
            #expect(try await entries(server, .start).first?.address == "127.0.0.1")
        }
    }
}
