import Access
import Boards
import Journals
import States
import Testing

@testable import Web

/// The ways in which tools of this kind have let people see and do what they may not, each tried here.
@Suite(.timeLimit(.minutes(2)))
struct KnownHoleTests {
    @Test func `the stream of events brings nobody the output of a run that they may not see`() async throws {
        let known = KnownNames()
        try await TestServer.run(printing: true, secret: true, access: known.access) { server async throws in
            known.control.replace(
                rules: AccessRules(grants: [
                    RoleGrant(
                        RoleAssignment(
                            "viewer", on: SubjectSelection(operations: [IDPattern("steps")].compactMap { $0 })),
                        to: [.user("vera")])
                ]))
            let run = try await server.board.start("printer", input: ["lines": 3], actor: "x").run
            try await server.until { try await server.board.outputTail(of: run).head >= 3 }
            let epoch = server.board.epoch
            for path in [
                "/live/1/output-\(run)/\(epoch)/0/now", "/live/1/output-\(run)/snap", "/live/1/run-\(run)/snap",
                "/runs/\(run)/output", "/api/v1/runs/\(run)/output", "/api/v1/runs/\(run)/output?wait=5",
            ] {
                let answer = try await server.ask("GET", path, headers: ["X-Test: vera"])
                #expect(answer.status == 404, "\(path)")
                #expect(!answer.text.contains("line"), "\(path)")
            }
            let all = try await server.ask("GET", "/api/v1/feeds/board/changes", headers: ["X-Test: vera"])
            #expect(try all.json()["changes"]?.array?.isEmpty == true)
            server.gate.finish()
        }
    }

    @Test func `the right to see is not the right to cancel, and the right to start is not the right to see`()
        async throws
    {
        let known = KnownNames(
            AccessRules(
                roles: [Role("starter", verbs: VerbSet([.start, .cancel]))],
                grants: [
                    RoleGrant(RoleAssignment("starter"), to: [.user("stan")]),
                    RoleGrant(RoleAssignment("viewer"), to: [.user("walt")]),
                ]))
        try await TestServer.run(access: known.access) { server async throws in
            let run = try await server.start().run
            let kill = try await server.ask("POST", "/api/v1/runs/\(run)/cancellation", headers: ["X-Test: walt"])
            #expect(kill.status == 403)
            for (method, path) in [
                ("POST", "/api/v1/runs/\(run)/cancellation"), ("POST", "/api/v1/operations/steps/runs"),
                ("GET", "/api/v1/runs/\(run)"), ("GET", "/"),
            ] {
                let answer = try await server.ask(method, path, headers: ["X-Test: stan"])
                #expect(answer.status == 403, "\(path)")
                #expect(!answer.text.contains("Steps"), "\(path)")
            }
            #expect(try await server.board.run(run).record.endedAt == nil)
        }
    }

    @Test func `every way to start asks the same, a retry and a start again from another run too`() async throws {
        let known = KnownNames()
        try await TestServer.run(bell: true, secret: true, access: known.access) { server async throws in
            let hidden = try await server.board.start("secret", input: ["label": "hush"], actor: "x").run
            let head = server.board.feed.head(of: .board)
            for (method, path, body) in [
                ("POST", "/operations/secret/runs", "label=a"), ("POST", "/api/v1/operations/secret/runs", "label=a"),
                ("POST", "/runs/\(hidden)/retries", ""), ("POST", "/api/v1/runs/\(hidden)/retries", ""),
                ("GET", "/operations/steps?from=\(hidden)", ""),
            ] {
                let answer = try await server.ask(
                    method, path, headers: ["X-Test: otto", "Content-Type: application/x-www-form-urlencoded"],
                    body: method == "GET" ? nil : body)
                #expect(answer.status == 404, "\(path)")
                #expect(!answer.text.contains("hush"), "\(path)")
            }
            #expect(server.board.feed.head(of: .board) == head)
        }
    }

    @Test func `a refused sign-in is not taken for nobody, who may see something`() async throws {
        let known = KnownNames(AccessRules(grants: [RoleGrant(RoleAssignment("viewer"), to: [.everyone])]))
        known.gone.value = ["eve"]
        try await TestServer.run(access: known.access) { server async throws in
            #expect(try await server.ask("GET", "/").status == 200)
            let eve = try await server.ask("GET", "/api/v1/operations", headers: ["X-Test: eve"])
            #expect(eve.status == 401)
            #expect(eve["www-authenticate"]?.contains("invalid_token") == true)
            #expect(try await server.ask("GET", "/live/1/board/snap", headers: ["X-Test: eve"]).status == 401)
        }
    }

    @Test func `pages of one never come from what was made for another`() async throws {
        let known = KnownNames()
        try await TestServer.run(bell: true, secret: true, access: known.access) { server async throws in
            let hushed = try await server.board.start("secret", input: ["label": "hush"], actor: "mole").run
            _ = try await server.start()
            // In turns and at once: what is shared between requests must not be what was made for somebody.
            try await withThrowingTaskGroup(of: (String, String).self) { tasks in
                for number in 0..<60 {
                    let name = ["ada", "vera", "otto", "walt"][number % 4]
                    tasks.addTask {
                        let page = try await server.ask("GET", "/", headers: ["X-Test: \(name)", "Accept: text/html"])
                        return (name, page.text)
                    }
                }
                for try await (name, text) in tasks {
                    let seesAll = ["ada", "walt"].contains(name)
                    #expect(text.contains("/operations/secret") == seesAll, "\(name)")
                    #expect(text.contains(hushed) == seesAll, "\(name)")
                    #expect(text.contains("method=\"post\"") == ["ada", "otto"].contains(name), "\(name)")
                    #expect(text.contains("data-name=\"\(name)\""), "\(name)")
                }
            }
        }
    }

    @Test func `the server's own page, its notices and imports are for those who look after it`() async throws {
        let known = KnownNames()
        try await TestServer.run(access: known.access) { server async throws in
            for (method, path) in [
                ("GET", "/system"), ("GET", "/api/v1/notices"), ("POST", "/api/v1/notices/a/dismissal"),
                ("POST", "/api/v1/imports"), ("POST", "/imports"),
            ] {
                for name in ["vera", "otto", "walt"] {
                    let answer = try await server.ask(method, path, headers: ["X-Test: \(name)"])
                    #expect(answer.status == 403, "\(name) \(path)")
                }
                let ada = try await server.ask(method, path, headers: ["X-Test: ada"])
                #expect(![401, 403].contains(ada.status), "\(path)")
            }
        }
    }
}
