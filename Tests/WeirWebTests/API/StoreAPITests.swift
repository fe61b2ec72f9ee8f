import Testing
import WeirBoards
import WeirJournals
import WeirStates

@testable import WeirWeb

@Suite(.timeLimit(.minutes(15)))
struct StoreAPITests {
    private static let json = "Content-Type: application/json"
    private static let bell = "/api/v1/stores/bell"
    private static let actions = bell + "/actions"

    @Test func `stores are listed, and each is told with what can be done in it`() async throws {
        try await TestServer.run(bell: true) { server in
            let list = try await server.ask("GET", "/api/v1/stores").json()["stores"]?.array
            #expect(list?.map { $0["id"] } == ["bell"])
            let store = try await server.ask("GET", Self.bell).json()
            #expect(store["state"] == ["rings": 0] && store["case"] == "value" && store["phase"] == "idle")
            #expect(store["actions"]?.array?.map { $0["type"] } == ["ring", "say", "lead", "hand"])
            #expect(store["actions"]?.array?.first?["fields"]?.array?.first?["name"] == "times")
            #expect(store["offers"]?.array?.first?["enabled"] == true)
            #expect(store["log"]?.array?.map { $0["kind"] } == ["opened"])
            let unknown = try await server.ask("GET", "/api/v1/stores/gong")
            #expect(unknown.status == 404 && unknown["content-type"] == "application/problem+json")
            #expect(try unknown.json()["type"] == "urn:weir:problem:unknown-store")
        }
    }

    @Test func `an action answers once it is recorded, with the cursor it produced`() async throws {
        try await TestServer.run(bell: true) { server in
            let before = try #require(try await server.ask("GET", Self.bell).json()["cursor"]?.string)
            let answer = try await server.ask(
                "POST", Self.actions, headers: [Self.json, "X-Weir-Actor: Ana"], body: #"{"type":"ring","times":3}"#)
            #expect(answer.status == 200)
            let store = try answer.json()
            #expect(store["state"] == ["rings": 3, "by": "Ana"])
            #expect(store["last"]?["actor"] == "Ana")
            #expect(store["last"]?["action"]?["type"] == "ring")
            let feed = try await server.ask("GET", "/api/v1/feeds/store-bell/changes?after=\(before)").json()
            #expect(feed["next"] == store["cursor"])
            let change = try #require(feed["changes"]?.array?.first)
            #expect(
                change["sequence"] == store["sequence"] && change["store"] == "bell" && change["state"]?["rings"] == 3)
            #expect(change["step"]?["kind"] == "action" && change["step"]?["actor"] == "Ana")
        }
    }

    @Test(arguments: [
        (#"{"type":"ring","times":99}"#, 422, ["times"]), (#"{"type":"ring"}"#, 422, ["times"]),
        (#"{"type":"ring","times":1,"loud":true}"#, 422, ["loud"]), (#"{"type":"sing"}"#, 422, []),
        (#"{"times":1}"#, 422, []), (#"{"type":"#, 400, []), (#"[1]"#, 422, []),
    ])
    func `an action that does not fit is refused with a sentence`(body: String, status: Int, fields: [String])
        async throws
    {
        try await TestServer.run(bell: true) { server in
            let answer = try await server.ask("POST", Self.actions, headers: [Self.json], body: body)
            #expect(answer.status == status)
            #expect(answer["content-type"] == "application/problem+json" && answer["cache-control"] == "no-store")
            let problem = try answer.json()
            #expect(problem["detail"]?.string?.isEmpty == false)
            #expect(
                fields.allSatisfy { field in
                    problem["errors"]?.array?.contains { $0["field"]?.string == field } ?? false
                })
            #expect(try await server.ask("GET", Self.bell).json()["revision"] == 0)
        }
    }

    @Test func `a repeated key does a thing once`() async throws {
        try await TestServer.run(bell: true) { server in
            let headers = [Self.json, "Idempotency-Key: k1"]
            let first = try await server.ask(
                "POST", Self.actions, headers: headers, body: #"{"type":"ring","times":1}"#)
            let second = try await server.ask(
                "POST", Self.actions, headers: headers, body: #"{"type":"ring","times":1}"#)
            #expect(try first.json()["cursor"] == second.json()["cursor"])
            let other = try await server.ask(
                "POST", Self.actions, headers: headers, body: #"{"type":"ring","times":2}"#)
            #expect(other.status == 422)
            #expect(try await server.ask("GET", Self.bell).json()["state"]?["rings"] == 1)
        }
    }

    @Test func `a state is put in, an earlier one comes back, and the first one by a reset`() async throws {
        try await TestServer.run(bell: true) { server in
            let put = try await server.ask("PUT", Self.bell + "/state", headers: [Self.json], body: #"{"rings":7}"#)
            #expect(put.status == 200)
            #expect(try put.json()["last"]?["kind"] == "rehydrated")
            let sequence = try #require(try put.json()["sequence"]?.integer)
            let reset = try await server.ask("POST", Self.bell + "/reset").json()
            #expect(reset["state"] == ["rings": 0] && reset["last"]?["kind"] == "reset")
            let back = try await server.ask("PUT", Self.bell + "/state?at=\(sequence)").json()
            #expect(back["state"]?["rings"] == 7 && back["last"]?["kind"] == "returned")
            #expect(back["last"]?["returnedTo"] == .integer(sequence))
            let then = try await server.ask("GET", Self.bell + "?at=\(sequence)").json()
            #expect(then["sequence"] == .integer(sequence) && then["log"]?.array?.count == 2)
            for (path, body) in [("/state", #"{"rungs":1}"#), ("/state?at=soon", "{}"), ("/state", "{")] {
                let refused = try await server.ask("PUT", Self.bell + path, headers: [Self.json], body: body)
                #expect([400, 422].contains(refused.status), "\(path)")
            }
        }
    }

    @Test func `only this dashboard's own pages may change a store`() async throws {
        try await TestServer.run(bell: true) { server in
            for (method, path) in [("POST", "/actions"), ("PUT", "/state"), ("POST", "/reset")] {
                let answer = try await server.ask(
                    method, Self.bell + path, headers: [Self.json, "Sec-Fetch-Site: cross-site"], body: "{}")
                #expect(answer.status == 403, "\(path)")
            }
        }
    }
}
