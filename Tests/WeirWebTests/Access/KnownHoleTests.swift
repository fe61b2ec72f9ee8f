import Foundation
import Testing
import TestSupport
@testable import WeirAccess
import WeirBoards
import WeirJournals
import WeirStates

@testable import WeirWeb

/// The ways in which tools of this kind have let people see and do what they may not, each tried here.
///
/// They are the advisories of OliveTin: GHSA-228v-wc5r-j8m7 (output in the event stream), GHSA-jf73-858c-54pg (titles of what may
/// not be seen), GHSA-jm28-2wcr-qf3h (output in the answer to a start), GHSA-p443-p7w5-2f7f (a restart with somebody else's
/// rights), GHSA-4fqm-6fmh-82mq (guests cancel), GHSA-fwhj-785h-43hh (a command about nothing), GHSA-f637-w7p2-m7fx (mistakes in
/// input tell what there is), GHSA-364q-w7vh-vhpc (a path made of an id), GHSA-gq2m-77hf-vwgh (a session that outlives the
/// sign-out), GHSA-pc8g-78pf-4xrp (hashing for strangers: `SigningInTests`), GHSA-45m3-398w-m2m9, GHSA-xpxj-f2fm-rqch and
/// GHSA-g962-2j28-3cg9 (identity providers: their own tests), and GHSA-49gm-hh7w-wfvf and GHSA-p3qf-84rg-jxfc (arguments that a
/// shell reads: the tests of commands, which have no shell).
@Suite(.timeLimit(.minutes(15)))
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
            try await until { try await server.board.outputTail(of: run).head >= 3 }
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
            #expect(try await server.board.run(run).endedAt == nil)
        }
    }

    @Test func `every way to start asks the same, a retry and a start again from another run too`() async throws {
        let known = KnownNames()
        try await TestServer.run(bell: true, secret: true, access: known.access) { server async throws in
            let hidden = try await server.board.start("secret", input: ["label": "hush"], actor: "x").run
            // What it begins with is two changes; then it waits.
            try await until { try await server.board.run(hidden).state.caseName == "stepping" }
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

    @Test func `who may look without signing in cancels, retries and starts nothing`() async throws {
        let known = KnownNames(AccessRules(grants: [RoleGrant(RoleAssignment("viewer"), to: [.everyone])]))
        try await TestServer.run(access: known.access) { server async throws in
            let run = try await server.start().run
            for path in [
                "/runs/\(run)/cancellation", "/api/v1/runs/\(run)/cancellation", "/runs/\(run)/retries",
                "/api/v1/operations/steps/runs",
            ] {
                #expect(try await server.ask("POST", path, body: "").status == 401, "\(path)")
            }
            #expect(try await server.board.run(run).endedAt == nil)
        }
    }

    @Test func `a retry is the caller's own, whoever may look without signing in`() async throws {
        let known = KnownNames(
            AccessRules(grants: [
                RoleGrant(RoleAssignment("admin"), to: [.everyone]),
                RoleGrant(RoleAssignment("viewer"), to: [.signedIn]),
            ]))
        try await TestServer.run(access: known.access) { server async throws in
            let run = try await server.start().run
            server.gate.finish()
            await server.board.outcome(of: run)
            let answer = try await server.ask("POST", "/api/v1/runs/\(run)/retries", headers: ["X-Test: vera"])
            let id = try #require(try answer.json()["id"]?.string)
            #expect(try await server.board.run(id).opening.actor == "vera")
        }
    }

    @Test(arguments: [
        "nothere", "..%2F..%2Fetc", "%00", "%F0%9F%92%A5", "-1", "9223372036854775808", "{{id}}", "x'%20OR%201=1--",
    ])
    func `a command about what never was is answered, and the server goes on`(id: String) async throws {
        let known = KnownNames()
        try await TestServer.run(bell: true, access: known.access) { server async throws in
            for path in [
                "/api/v1/runs/\(id)/cancellation", "/api/v1/runs/\(id)/retries", "/api/v1/operations/\(id)/runs",
                "/api/v1/stores/\(id)/actions", "/api/v1/stores/\(id)/reset",
            ] {
                for name in ["ada", "vera"] {
                    let answer = try await server.ask(
                        "POST", path, headers: ["X-Test: \(name)", "Content-Type: application/json"], body: "{}")
                    #expect([400, 403, 404].contains(answer.status), "\(name) \(path) \(answer.status)")
                }
            }
            #expect(try await server.ask("GET", "/health/live").status == 200)
        }
    }

    @Test func `mistakes in what is sent tell nobody what there is`() async throws {
        let known = KnownNames()
        try await TestServer.run(bell: true, secret: true, access: known.access) { server async throws in
            for body in ["{}", "nonsense", #"{"label": 7}"#, #"{"other": "x"}"#] {
                for (there, absent) in [
                    ("/api/v1/operations/secret/runs", "/api/v1/operations/absent/runs"),
                    ("/api/v1/stores/vault/actions", "/api/v1/stores/bonds/actions"),
                ] {
                    let headers = ["X-Test: otto", "Content-Type: application/json"]
                    let one = try await server.ask("POST", there, headers: headers, body: body)
                    let other = try await server.ask("POST", absent, headers: headers, body: body)
                    #expect(one.status == 404 && other.status == 404)
                    let text = one.text.replacing("secret", with: "absent").replacing("vault", with: "bonds")
                    #expect(text == other.text, "\(there)")
                }
            }
        }
    }

    @Test func `an id that a client chooses is no name of a run or a file`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "weir-holes-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
        var configuration = WebConfiguration()
        configuration.spoolFolder = folder.appending(path: "spool")
        let known = KnownNames()
        try await TestServer.run(configuration: configuration, access: known.access) { server async throws in
            let answer = try await server.ask(
                "POST", "/api/v1/operations/keep/runs?filename=..%2F..%2Fevil",
                headers: [
                    "X-Test: otto", "Idempotency-Key: ../../evil", "Content-Type: application/octet-stream",
                ], body: "12345")
            let id = try #require(answer["location"]?.split(separator: "/").last.map(String.init))
            #expect(!id.contains("evil"))
            await server.board.outcome(of: id)
            let left = FileManager.default.enumerator(atPath: folder.path)?.allObjects as? [String] ?? []
            #expect(!left.contains { $0.contains("evil") })
            #expect(
                !FileManager.default.fileExists(atPath: folder.deletingLastPathComponent().appending(path: "evil").path)
            )
        }
    }

    @Test func `a session that was signed out is over, whoever kept its cookie`() async throws {
        try await AccountServer.run { server in
            let stolen = try await server.cookie(of: "root")
            #expect(try await server.ask("GET", "/api/v1/operations", [stolen]).status == 200)
            _ = try await server.ask("POST", "/sign-out", AccountServer.form + [stolen], body: "")
            for path in ["/api/v1/operations", "/live/1/board/snap", "/api/v1/streams/board", "/api/v1/users"] {
                #expect(try await server.ask("GET", path, [stolen]).status == 401, "\(path)")
            }
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
            try await withThrowingTaskGroup(of: (String, RawResponse).self) { tasks in
                for number in 0..<60 {
                    let name = ["ada", "vera", "otto", "walt"][number % 4]
                    tasks.addTask {
                        let page = try await server.ask("GET", "/", headers: ["X-Test: \(name)", "Accept: text/html"])
                        return (name, page)
                    }
                }
                for try await (name, page) in tasks {
                    let text = page.text
                    let seesAll = ["ada", "walt"].contains(name)
                    #expect(text.contains("/operations/secret") == seesAll, "\(name)")
                    #expect(text.contains(hushed) == seesAll, "\(name)")
                    #expect(page.offersChanges == ["ada", "otto"].contains(name), "\(name)")
                    #expect(text.contains("data-name=\"\(name)\""), "\(name)")
                }
            }
        }
    }

    @Test func `the server's own page, its notices and imports are for those who look after it`() async throws {
        let known = KnownNames()
        try await TestServer.run(access: known.access) { server async throws in
            for (method, path) in [
                ("GET", "/system"), ("GET", "/metrics"), ("GET", "/api/v1/notices"),
                ("POST", "/api/v1/notices/a/dismissal"),
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
