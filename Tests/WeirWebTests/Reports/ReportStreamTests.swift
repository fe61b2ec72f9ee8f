import Testing
@testable import WeirAccess
import WeirBoards
import WeirJournals
import WeirStates

@testable import WeirWeb

/// Runs that programs elsewhere report, over connections: sections 5.1 to 5.3 and 9.1 of the Durable Streams protocol.
@Suite(.timeLimit(.minutes(15)))
struct ReportStreamTests {
    private static let run = "/api/v1/streams/reported/deploy/r1"
    private static let json = "Content-Type: application/json"

    private func producer(_ number: Int, epoch: Int = 0, id: String = "p") -> [String] {
        [Self.json, "Producer-Id: \(id)", "Producer-Epoch: \(epoch)", "Producer-Seq: \(number)"]
    }

    // 5.1
    @Test func `a run is opened by PUT, again with the same answer, and by nobody else`() async throws {
        try await TestServer.run(reporting: true) { server in
            let body = #"{"input":{"tag":"v1"},"title":"Deploy v1"}"#
            let made = try await server.ask("PUT", Self.run, headers: [Self.json], body: body)
            #expect(made.status == 201)
            #expect(made["location"] == Self.run)
            #expect(made["content-type"] == "application/json")
            #expect(made["stream-next-offset"] != nil)
            #expect(try await server.ask("PUT", Self.run, headers: [Self.json], body: "[\(body)]").status == 200)
            let other = #"{"input":{"tag":"v2"},"title":"Deploy v1"}"#
            #expect(try await server.ask("PUT", Self.run, headers: [Self.json], body: other).status == 409)
            let somebody = [Self.json, "X-Weir-Actor: somebody"]
            #expect(try await server.ask("PUT", Self.run, headers: somebody, body: body).status == 409)
            #expect(try await server.ask("POST", Self.run, headers: somebody, body: #"{"beat":true}"#).status == 404)
            let run = try await server.ask("GET", "/api/v1/runs/r1").json()
            #expect(run["operation"] == "deploy")
            #expect(run["input"]?["tag"] == "v1")
        }
    }

    @Test func `a run is not opened under a name that is another page's address`() async throws {
        try await TestServer.run(reporting: true) { server in
            for name in StreamID.reservedRuns.sorted() {
                let answer = try await server.ask("PUT", "/api/v1/streams/reported/deploy/\(name)", body: "")
                #expect(answer.status == 400 && answer.text.contains("No run can be called “\(name)”"))
            }
            #expect(try await server.board.runs(.init()).runs.isEmpty)
            #expect(try await server.ask("PUT", "/api/v1/streams/reported/deploy/exports", body: "").status == 201)
        }
    }

    // 5.2
    @Test func `messages become states and lines at once, in every feed`() async throws {
        try await TestServer.run(reporting: true) { server in
            _ = try await server.ask("PUT", Self.run, body: "")
            let follower = try await server.connect()
            let head = try #require(try await server.ask("HEAD", "/api/v1/streams/run-r1")["stream-next-offset"])
            try await follower.send("GET", "/api/v1/streams/run-r1?live=long-poll&offset=\(head)")
            try await server.untilHeld(1)
            let sent =
                #"[{"line":"begin"},{"state":"push","completed":1,"total":4,"file":"a"},{"line":"end","channel":"stderr"}]"#
            let answer = try await server.ask("POST", Self.run, headers: [Self.json], body: sent)
            #expect(answer.status == 204)
            let change = try #require(try await follower.response().json().array?.first)
            #expect(change["case"] == "push")
            #expect(change["progress"]?["fraction"] == 0.25)
            #expect(change["state"] == ["file": "a"])
            let lines = try await server.ask("GET", "/api/v1/streams/output-r1").json().array
            #expect(lines?.map { $0["text"] } == ["begin", "end"])
            #expect(try await server.ask("GET", "/runs/r1").text.contains("begin"))
        }
    }

    @Test func `a lease that nobody can give is refused, and nothing of its request is taken`() async throws {
        try await TestServer.run(reporting: true) { server in
            #expect(try await server.ask("PUT", Self.run, headers: ["Weir-Lease: 300"], body: "").status == 201)
            for lease in ["0", "-1", "86401", "1.5", "soon", "99999999999999999999"] {
                let headers = [Self.json, "Weir-Lease: \(lease)"]
                let answer = try await server.ask("POST", Self.run, headers: headers, body: #"{"line":"x"}"#)
                #expect(answer.status == 400)
                #expect(answer.text.contains("Weir-Lease"))
            }
            #expect(try await server.ask("GET", "/api/v1/streams/output-r1").json().array == [])
        }
    }

    // 5.2.1
    @Test func `a producer's requests count once, and their answers are the protocol's`() async throws {
        try await TestServer.run(reporting: true) { server in
            _ = try await server.ask("PUT", Self.run, body: "")
            func post(_ headers: [String], _ body: String = #"{"state":"s"}"#) async throws -> RawResponse {
                try await server.ask("POST", Self.run, headers: headers, body: body)
            }
            let first = try await post(producer(0))
            #expect(first.status == 200)
            #expect(first["producer-epoch"] == "0")
            #expect(first["producer-seq"] == "0")
            #expect(try await post(producer(1)).status == 200)
            let again = try await post(producer(0))
            #expect(again.status == 204)
            #expect(again["producer-seq"] == "1")
            let gap = try await post(producer(5))
            #expect(gap.status == 409)
            #expect(gap["producer-expected-seq"] == "2")
            #expect(gap["producer-received-seq"] == "5")
            #expect(try await post(producer(1, epoch: 2)).status == 400)
            #expect(try await post(producer(0, epoch: 2)).status == 200)
            let fenced = try await post(producer(2))
            #expect(fenced.status == 403)
            #expect(fenced["producer-epoch"] == "2")
            #expect(try await post([Self.json, "Producer-Id: p"]).status == 400)
            #expect(try await post(producer(0, id: "q")).status == 200)
            let states = try await server.ask("GET", "/api/v1/streams/run-r1").json().array
            #expect(states?.count == 5)
        }
    }

    // 5.3 and 5.2.1
    @Test func `a run ends by Stream-Closed, once, and what comes later hears it`() async throws {
        try await TestServer.run(reporting: true) { server in
            _ = try await server.ask("PUT", Self.run, body: "")
            let end = #"{"state":"gone","phase":"failed","message":"Full."}"#
            let closing = producer(0) + ["Stream-Closed: TRUE"]
            let ended = try await server.ask("POST", Self.run, headers: closing, body: end)
            #expect(ended.status == 200)
            #expect(ended["stream-closed"] == "true")
            #expect(try await server.ask("POST", Self.run, headers: closing, body: end).status == 204)
            #expect(try await server.ask("POST", Self.run, headers: ["Stream-Closed: true"], body: "").status == 204)
            for headers in [
                [Self.json], [Self.json, "Stream-Closed: true"], producer(1), ["Content-Type: text/plain"],
            ] {
                let late = try await server.ask("POST", Self.run, headers: headers, body: #"{"state":"x"}"#)
                #expect(late.status == 409)
                #expect(late["stream-closed"] == "true", "\(headers)")
                #expect(late["stream-next-offset"] == ended["stream-next-offset"])
            }
            #expect(try await server.ask("PUT", Self.run, body: "").status == 409)
            #expect(try await server.board.run("r1").state.phase == .failed)
            let one = "/api/v1/streams/reported/deploy/r2"
            let closed = try await server.ask("PUT", one, headers: ["Stream-Closed: true"], body: "")
            #expect(closed.status == 201)
            #expect(closed["stream-closed"] == "true")
            #expect(try await server.ask("PUT", one, headers: ["Stream-Closed: true"], body: "").status == 200)
            #expect(try await server.ask("POST", one, headers: ["Stream-Closed: yes"], body: "").status == 400)
        }
    }

    // 9.1
    @Test func `of a batch with a mistake nothing is taken, and each mistake has its place`() async throws {
        try await TestServer.run(reporting: true) { server in
            _ = try await server.ask("PUT", Self.run, body: "")
            let head = server.board.feed.head(of: .board)
            let bad = #"[{"state":"ok"},{"line":"ok"},{"state":"x","completed":-1},{"line":7}]"#
            let answer = try await server.ask("POST", Self.run, headers: producer(0), body: bad)
            #expect(answer.status == 400)
            #expect(try answer.json()["errors"]?.array?.map { $0["field"] } == ["[2].completed", "[3].line"])
            #expect(server.board.feed.head(of: .board) == head)
            #expect(try await server.ask("GET", "/api/v1/streams/output-r1").text == "[]")
            // Its number is not used up.
            #expect(try await server.ask("POST", Self.run, headers: producer(0), body: #"{"state":"x"}"#).status == 200)
            for (headers, body, status) in [
                ([Self.json], "", 400), ([Self.json], "[]", 400), ([Self.json], "{", 400), ([String](), "{}", 400),
                (["Content-Type: text/plain"], "x", 409), ([Self.json, "Stream-Seq: 1"], #"{"state":"x"}"#, 400),
                ([Self.json], #"{"state":"x","phase":"succeeded"}"#, 400),
            ] {
                let answer = try await server.ask("POST", Self.run, headers: headers, body: body)
                #expect(answer.status == status, "\(headers) \(body)")
            }
        }
    }

    @Test func `a reporter that was restarted reads back what it has sent, in its order`() async throws {
        try await TestServer.run(reporting: true) { server in
            _ = try await server.ask("PUT", Self.run, headers: [Self.json], body: #"{"title":"T"}"#)
            let sent = #"[{"line":"1"},{"state":"a"},{"line":"2"},{"line":"3"},{"state":"b","completed":1}]"#
            let receipt = try await server.ask("POST", Self.run, headers: [Self.json], body: sent)
            let all = try await server.ask("GET", Self.run)
            let messages = try #require(try all.json().array)
            #expect(messages.first == ["input": [:], "title": "T"])
            #expect(
                messages.dropFirst().map { $0["line"] ?? $0["state"] } == ["1", "a", "2", "3", "b"])
            #expect(all["stream-next-offset"] == receipt["stream-next-offset"])
            #expect(all["stream-up-to-date"] == "true")
            let tag = try #require(all["etag"])
            #expect(try await server.ask("GET", Self.run, headers: ["If-None-Match: \(tag)"]).status == 304)
            let tail = try #require(all["stream-next-offset"])
            #expect(try await server.ask("GET", Self.run + "?offset=\(tail)").text == "[]")
            #expect(try await server.ask("GET", Self.run + "?offset=now").text == "[]")
            #expect(try await server.ask("HEAD", Self.run)["stream-next-offset"] == tail)
            #expect(try await server.ask("GET", Self.run + "?offset=\(tail)&live=long-poll").status == 400)
            #expect(try await server.ask("GET", "/api/v1/streams/reported/build/r1").status == 404)
            #expect(try await server.ask("GET", "/api/v1/streams/reported/deploy/none").status == 404)
        }
    }

    @Test func `offsets of a reported run grow with every request that adds something`() async throws {
        try await TestServer.run(reporting: true) { server in
            var last = try #require(try await server.ask("PUT", Self.run, body: "")["stream-next-offset"])
            for body in [#"{"line":"1"}"#, #"{"state":"a"}"#, #"[{"line":"2"},{"line":"3"}]"#, #"{"state":"a"}"#] {
                let answer = try await server.ask("POST", Self.run, headers: [Self.json], body: body)
                let next = try #require(answer["stream-next-offset"])
                #expect(next > last)
                last = next
            }
        }
    }

    @Test func `a reporter does not learn from any answer that a run it may not see has the name`() async throws {
        let only = { (id: String) in SubjectSelection(operations: [IDPattern(id)].compactMap { $0 }) }
        let reporter = Role("reporter", verbs: VerbSet([.report]))
        let rules = AccessRules(
            roles: [reporter],
            grants: [
                RoleGrant(RoleAssignment("reporter", on: only("deploy")), to: [.user("dora"), .user("dirk")]),
                // Of an operation outside the catalog, a role for all subjects is needed.
                RoleGrant(RoleAssignment("reporter"), to: [.user("bert")]),
                RoleGrant(RoleAssignment("admin"), to: [.user("ada")]),
            ])
        try await TestServer.run(reporting: true, access: KnownNames(rules).access) { server in
            func ask(_ name: String, _ method: String, _ operation: String, _ run: String, _ body: String? = nil)
                async throws -> RawResponse
            {
                try await server.ask(
                    method, "/api/v1/streams/reported/\(operation)/\(run)",
                    headers: ["X-Test: \(name)", Self.json, "Accept-Encoding: identity"], body: body)
            }
            #expect(try await ask("dora", "PUT", "deploy", "taken", #"{"title":"first"}"#).status == 201)
            for (name, operation) in [("bert", "build"), ("dirk", "deploy")] {
                for run in ["taken", "free-\(name)"] {
                    #expect(try await ask(name, "GET", operation, run).status == 404, "\(name) \(run)")
                    #expect(try await ask(name, "POST", operation, run, #"{"beat":true}"#).status == 404)
                    let made = try await ask(name, "PUT", operation, run, #"{"title":"second"}"#)
                    #expect(made.status == 201 && made["location"] == "/api/v1/streams/reported/\(operation)/\(run)")
                    #expect(try await ask(name, "PUT", operation, run, #"{"title":"second"}"#).status == 200)
                    #expect(try await ask(name, "PUT", operation, run, #"{"title":"third"}"#).status == 409)
                    #expect(try await ask(name, "POST", operation, run, #"{"line":"mine"}"#).status == 204)
                    let read = try await ask(name, "GET", operation, run).json().array ?? []
                    #expect(read.last == ["line": "mine"] && read.first?["title"] == "second")
                }
            }
            let first = try await ask("dora", "GET", "deploy", "taken").json().array
            #expect(first?.count == 1 && first?.first?["title"] == "first")
            // Who may see the run is told.
            #expect(try await ask("ada", "PUT", "deploy", "taken", #"{"title":"other"}"#).status == 409)
        }
    }

    @Test func `operations that run here cannot be reported, nor can those that nobody declared unless they may`()
        async throws
    {
        try await TestServer.run(reporting: true) { server in
            #expect(try await server.ask("PUT", "/api/v1/streams/reported/steps/r1", body: "").status == 409)
            #expect(try await server.ask("PUT", "/api/v1/streams/reported/anything/r1", body: "").status == 201)
            #expect(try await server.ask("GET", "/api/v1/streams/operation-anything").status == 200)
            let runs = try await server.ask("GET", "/api/v1/runs?operation=anything").json()
            #expect(runs["runs"]?.array?.map { $0["id"] } == ["r1"])
            #expect(try await server.ask("GET", "/api/v1/runs?operation=other").status == 404)
            #expect(try await server.ask("GET", "/runs/r1").status == 200)
            for path in ["Deploy/r3", "deploy/R3", "deploy/r--3", "deploy/\(String(repeating: "r", count: 60))"] {
                let answer = try await server.ask("PUT", "/api/v1/streams/reported/\(path)", body: "")
                #expect([400, 404].contains(answer.status), "\(path)")
            }
            #expect(try await server.ask("POST", "/operations/deploy/runs", body: "").status == 409)
        }
        try await TestServer.run { server in
            let answer = try await server.ask("PUT", "/api/v1/streams/reported/anything/r1", body: "")
            #expect(answer.status == 404)
        }
    }

    @Test func `somebody who cancels a reported run is heard by its reporter with the next message`() async throws {
        try await TestServer.run(reporting: true) { server in
            _ = try await server.ask("PUT", Self.run, body: "")
            #expect(try await server.ask("POST", "/api/v1/runs/r1/cancellation", body: "").status == 202)
            let late = try await server.ask("POST", Self.run, headers: [Self.json], body: #"{"beat":true}"#)
            #expect(late.status == 409)
            #expect(late["stream-closed"] == "true")
            #expect(try await server.board.run("r1").state.phase == .cancelled)
        }
    }

    @Test func `no page of another site reports anything`() async throws {
        try await TestServer.run(reporting: true) { server in
            for method in ["PUT", "POST"] {
                let forged = try await server.ask(
                    method, Self.run, headers: ["Origin: http://evil.example", Self.json], body: "{}")
                #expect(forged.status == 403)
            }
            #expect(server.board.feed.head(of: .board) == 0)
        }
    }
}
