import Foundation
import HTTPTypes
import Testing
@testable import WeirAccess
import WeirBoards
import WeirJournals
import WeirStates

@testable import WeirWeb

/// What belongs to a principal, and who may speak for another.
@Suite(.timeLimit(.minutes(15)))
struct PrincipalTests {
    private static let twins = AccessRules(grants: [
        RoleGrant(RoleAssignment("operator"), to: [.user("one"), .user("two")]),
        RoleGrant(RoleAssignment("admin"), to: [.user("ada")]),
    ])

    /// Two people who have one name, as those of two identity providers may.
    private final class Twins: Authenticator {
        let control = AccessControl(rules: PrincipalTests.twins)

        func authenticate(_ request: AccessRequest) -> Authentication {
            let identity = request.values("x-test").first ?? ""
            return .authorized(control.authorize(Principal(.person, name: "Ana", identity: identity)))
        }
    }

    @Test func `an idempotency key belongs to its principal, though another has the same name`() async throws {
        let twins = Twins()
        try await TestServer.run(bell: true, access: .authenticated(by: twins, control: twins.control)) {
            server async throws in
            func start(_ who: String) async throws -> RawResponse {
                try await server.ask(
                    "POST", "/api/v1/operations/steps/runs",
                    headers: ["X-Test: \(who)", "Idempotency-Key: once", "Content-Type: application/json"],
                    body: #"{"label":"a"}"#)
            }
            let (first, again, other) = (try await start("one"), try await start("one"), try await start("two"))
            #expect(first.status == 201)
            #expect(try first.json()["id"] == again.json()["id"])
            #expect(try first.json()["id"] != other.json()["id"])
            #expect(try first.json()["actor"] == "Ana")
            func ring(_ who: String) async throws -> RawResponse {
                try await server.ask(
                    "POST", "/api/v1/stores/bell/actions",
                    headers: ["X-Test: \(who)", "Idempotency-Key: once", "Content-Type: application/json"],
                    body: #"{"type":"ring","times":1}"#)
            }
            let rings = [try await ring("one"), try await ring("one"), try await ring("two")]
            #expect(try rings.map { try $0.json()["state"]?["rings"] } == [1, 1, 2])
            // The key itself is nowhere to be read.
            let run = try #require(try first.json()["id"]?.string)
            let record = try await server.board.run(run)
            #expect(record.opening.idempotencyKey?.contains("once") == false)
        }
    }

    @Test func `the key of a form for many runs belongs to its principal, though another has the same name`()
        async throws
    {
        let twins = Twins()
        try await TestServer.run(access: .authenticated(by: twins, control: twins.control)) { server async throws in
            let run = try await server.start("a", last: 0).run
            server.gate.finish()
            await server.board.outcome(of: run)
            let key = UUID().uuidString
            for who in ["one", "one", "two"] {
                let answer = try await server.ask(
                    "POST", "/runs/retries",
                    headers: ["X-Test: \(who)", "Content-Type: application/x-www-form-urlencoded"],
                    body: "key=\(key)&run=\(run)")
                #expect(answer.status == 200)
            }
            #expect(try await server.board.runs(.init()).runs.count == 3)
        }
    }

    @Test func `an uploaded file is kept under its principal's key, so that nobody else's retry finds it`() async throws
    {
        let twins = Twins()
        try await TestServer.run(access: .authenticated(by: twins, control: twins.control)) { server async throws in
            var ids: [String] = []
            for who in ["one", "one", "two"] {
                let answer = try await server.ask(
                    "POST", "/api/v1/operations/keep/runs?filename=a.bin",
                    headers: ["X-Test: \(who)", "Idempotency-Key: once"], body: "12345")
                #expect(answer.status == 201)
                let input = try answer.json()["input"]?["file"]
                ids.append(try #require(input?["id"]?.string))
            }
            #expect(ids[0] == ids[1])
            #expect(ids[0] != ids[2])
        }
    }

    @Test func `only who looks after the server acts for others`() async throws {
        let known = KnownNames()
        try await TestServer.run(access: known.access) { server async throws in
            func actor(_ name: String, _ claim: [String]) async throws -> RawResponse {
                try await server.ask(
                    "POST", "/api/v1/operations/steps/runs",
                    headers: ["X-Test: \(name)", "Content-Type: application/json"] + claim, body: #"{"label":"a"}"#)
            }
            #expect(try await actor("otto", ["X-Weir-Actor: root"]).json()["actor"] == "otto")
            #expect(try await actor("ada", ["X-Weir-Actor: Otto"]).json()["actor"] == "Otto")
            #expect(try await actor("ada", []).json()["actor"] == "ada")
            #expect(try await actor("ada", ["X-Weir-Actor: a", "X-Weir-Actor: b"]).status == 400)
            #expect(
                try await actor("otto", ["Cookie: weir-name=root", "Sec-Fetch-Site: same-origin"]).json()["actor"]
                    == "otto")
        }
    }

    @Test func `a command by cookie says where it comes from, or is refused`() async throws {
        let known = KnownNames()
        try await TestServer.run(access: known.access) { server async throws in
            func start(_ headers: [String]) async throws -> Int {
                try await server.ask(
                    "POST", "/api/v1/operations/steps/runs",
                    headers: ["X-Test: otto", "Content-Type: application/json"] + headers, body: #"{"label":"a"}"#
                ).status
            }
            #expect(try await start(["Cookie: a=b"]) == 403)
            #expect(try await start(["Cookie: a=b", "Sec-Fetch-Site: same-origin"]) == 201)
            #expect(try await start(["Cookie: a=b", "Origin: http://localhost"]) == 201)
            #expect(try await start(["Cookie: a=b", "Origin: http://evil.example"]) == 403)
            #expect(try await start(["Cookie: a=b", "Authorization: Bearer t"]) == 201)
            #expect(try await start([]) == 201)
        }
        // Where nobody is asked who they are, no cookie says it.
        try await TestServer.run { server async throws in
            let answer = try await server.ask(
                "POST", "/api/v1/operations/steps/runs",
                headers: ["Cookie: weir-name=Ana", "Content-Type: application/json"], body: #"{"label":"a"}"#)
            #expect(answer.status == 201)
        }
    }
}
