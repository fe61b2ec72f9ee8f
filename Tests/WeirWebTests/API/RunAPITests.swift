import Foundation
import Testing
import WeirBoards
import WeirStates

@testable import WeirWeb

@Suite(.timeLimit(.minutes(15)))
struct RunAPITests {
    private static let json = "Content-Type: application/json"
    private static let runs = "/api/v1/operations/steps/runs"

    @Test func `a run is started, told in full, and ends`() async throws {
        try await TestServer.run { server in
            let started = try await server.ask(
                "POST", Self.runs, headers: [Self.json, "X-Weir-Actor: Ada"], body: #"{"label":"World"}"#)
            #expect(started.status == 201)
            let id = try #require(try started.json()["id"]?.string)
            #expect(started["location"] == "/api/v1/runs/" + id)
            server.gate.finish()
            await server.board.outcome(of: id)
            let run = try await server.ask("GET", "/api/v1/runs/" + id).json()
            #expect(
                Set(run.object?.keys.map(\.self) ?? []) == [
                    "id", "operation", "actor", "input", "phase", "case", "state", "progress", "revision", "sequence",
                    "startedAt", "endedAt", "cause", "retryOf", "attempt", "reported", "title",
                ])
            #expect(run["operation"] == "steps")
            #expect(run["actor"] == "Ada")
            #expect(run["input"] == ["label": "World", "last": 0])
            #expect(run["phase"] == "succeeded")
            #expect(run["case"] == "done")
            #expect(run["state"] == ["label": "World"])
            #expect(run["progress"] == .null)
            #expect(run["revision"] == 2)
            #expect(run["retryOf"] == .null && run["attempt"] == 1)
            #expect(run["reported"] == false)
            #expect(run["title"] == .null)
            #expect(run["endedAt"]?.string?.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil)
        }
    }

    @Test func `progress is told with its parts`() async throws {
        try await TestServer.run { server in
            let receipt = try await server.start(last: 1)
            let changes = try await server.ask("GET", "/api/v1/feeds/run-\(receipt.run)/changes").json()["changes"]?
                .array
            let step = changes?.first { $0["state"]?["number"] == 1 }
            #expect(step?["progress"] == ["completed": 1, "total": 4, "unit": "items", "fraction": 0.25])
            #expect(step?["case"] == "striding")
            #expect(step?["phase"] == "active")
        }
    }

    @Test(arguments: [
        (#"{"label":5}"#, ["label"]), (#"{}"#, ["label"]), (#"{"label":"a","x":1}"#, ["x"]),
        (#"{"label":"a","last":"many"}"#, ["last"]), (#"{"last":-1}"#, ["label", "last"]),
        (#"{"label":null}"#, ["label"]),
    ])
    func `an input that does not fit is refused field by field`(body: String, fields: [String]) async throws {
        try await TestServer.run { server in
            let answer = try await server.ask("POST", Self.runs, headers: [Self.json], body: body)
            #expect(answer.status == 422)
            #expect(answer["content-type"] == "application/problem+json")
            #expect(answer["cache-control"] == "no-store")
            let errors = try #require(try answer.json()["errors"]?.array)
            #expect(errors.compactMap { $0["field"]?.string } == fields)
            #expect(errors.allSatisfy { $0["detail"]?.string?.isEmpty == false })
        }
    }

    @Test func `a megabyte in a field is a mistake of the field, more than two are too much`() async throws {
        try await TestServer.run { server in
            let long = String(repeating: "a", count: 1_048_576)
            let mistake = try await server.ask("POST", Self.runs, headers: [Self.json], body: #"{"label":"\#(long)"}"#)
            #expect(mistake.status == 422)
            #expect(try mistake.json()["errors"]?.array?.first?["field"] == "label")
            let connection = try await server.connect()
            try await connection.send(
                raw: "POST \(Self.runs) HTTP/1.1\r\nHost: localhost\r\n\(Self.json)\r\nContent-Length: 3000000\r\n\r\n")
            let large = try await connection.response()
            #expect(large.status == 413)
            #expect(large["connection"] == "close")
        }
    }

    @Test func `JSON that is none is refused with the place`() async throws {
        try await TestServer.run { server in
            for body in ["{", "{\"label\":\"a\",}", "nonsense", "{\"label\": 'a'}", "\u{0}"] {
                let answer = try await server.ask("POST", Self.runs, headers: [Self.json], body: body)
                #expect(answer.status == 400, "\(body)")
                #expect(try answer.json()["type"] == "urn:weir:problem:malformed-body")
            }
            let broken = try await server.ask("POST", Self.runs, headers: [Self.json], body: "{\n\"label\": x\n}")
            #expect(try broken.json()["detail"]?.string?.contains("line 2") == true, "\(broken.text)")
            let list = try await server.ask("POST", Self.runs, headers: [Self.json], body: "[1]")
            #expect(list.status == 422)
        }
    }

    @Test func `a body of another type is refused with those that are read`() async throws {
        try await TestServer.run { server in
            let answer = try await server.ask("POST", Self.runs, headers: ["Content-Type: text/csv"], body: "a,b")
            #expect(answer.status == 415)
            #expect(answer["accept"] == "application/json, application/x-www-form-urlencoded")
            #expect(
                try answer.json()["detail"]
                    == "Send the body as application/json or application/x-www-form-urlencoded and name that in Content-Type."
            )
            let form = try await server.ask(
                "POST", Self.runs, headers: ["Content-Type: application/x-www-form-urlencoded"],
                body: "label=A+B&last=1")
            #expect(form.status == 201)
            #expect(try form.json()["input"] == ["label": "A B", "last": 1])
        }
    }

    @Test func `a repeated key finds the same run, and is refused for another input`() async throws {
        try await TestServer.run { server in
            let headers = [Self.json, "Idempotency-Key: \"8e03978e-40d5\""]
            let first = try await server.ask("POST", Self.runs, headers: headers, body: #"{"label":"a"}"#)
            let again = try await server.ask("POST", Self.runs, headers: headers, body: #"{"label":"a"}"#)
            #expect(again.status == 201)
            #expect(try again.json()["id"] == first.json()["id"])
            let other = try await server.ask("POST", Self.runs, headers: headers, body: #"{"label":"b"}"#)
            #expect(other.status == 422)
            #expect(try other.json()["type"] == "urn:weir:problem:key-reused")
            let bad = try await server.ask(
                "POST", Self.runs, headers: [Self.json, "Idempotency-Key: a b"], body: #"{"label":"b"}"#)
            #expect(bad.status == 400)
        }
    }

    @Test func `a run is cancelled once, and tried again`() async throws {
        try await TestServer.run { server in
            let receipt = try await server.start("World")
            let run = "/api/v1/runs/" + receipt.run
            #expect(try await server.ask("POST", run + "/retries").status == 409)
            let cancelled = try await server.ask("POST", run + "/cancellation")
            #expect(cancelled.status == 202)
            #expect(try cancelled.json()["phase"] == "cancelled")
            #expect(try cancelled.json()["case"] == "stopped")
            let twice = try await server.ask("POST", run + "/cancellation")
            #expect(twice.status == 409)
            #expect(try twice.json()["type"] == "urn:weir:problem:already-ended")
            let retried = try await server.ask("POST", run + "/retries")
            #expect(retried.status == 201, "\(retried.text)")
            #expect(try retried.json()["input"]?["label"] == "World")
            #expect(try retried.json()["retryOf"]?.string == receipt.run)
            #expect(try await server.ask("POST", "/api/v1/runs/nowhere/cancellation").status == 404)
            #expect(try await server.ask("POST", "/api/v1/runs/nowhere/retries").status == 404)
            let other = try await server.ask("POST", run + "/retries", headers: [Self.json], body: #"{"label":"Moon"}"#)
            #expect(try other.json()["input"]?["label"] == "Moon")
        }
    }

    @Test func `runs are filtered by attempt, in the API, on the page and in an exported table`() async throws {
        try await TestServer.run { server in
            let first = try await server.start("World").run
            _ = try await server.board.cancel(first, actor: "test")
            let second = try #require(
                try await server.ask("POST", "/api/v1/runs/\(first)/retries").json()["id"]?.string)
            _ = try await server.board.cancel(second, actor: "test")
            let third = try #require(
                try await server.ask("POST", "/api/v1/runs/\(second)/retries").json()["id"]?.string)
            func ids(_ attempt: String) async throws -> [String?]? {
                try await server.ask("GET", "/api/v1/runs?attempt=\(attempt)").json()["runs"]?.array?.map {
                    $0["id"]?.string
                }
            }
            #expect(try await ids("1") == [first])
            #expect(try await ids("2") == [second])
            #expect(try await ids("%3E1") == [third, second])
            #expect(try await ids("").map(\.count) == 3)
            #expect(try await ids("%3E3") == [])
            for text in ["0", "-1", "x", "1%3E", "%3E", "2%2B"] {
                let refused = try await server.ask("GET", "/api/v1/runs?attempt=\(text)")
                #expect(refused.status == 400 && refused.text.contains("1 or more"), "\(text)")
            }
            let page = try await server.ask("GET", "/runs?attempt=%3E1").text
            #expect(page.contains("attempt 2") && page.contains("attempt 3") && !page.contains(first))
            #expect(page.contains(#"<option value="&gt;1" selected="selected">second or later</option>"#))
            let run = try await server.ask("GET", "/runs/\(second)").text
            // Once beside its start; the rows of earlier runs have their own.
            #expect(run.ranges(of: "attempt 2").count == 1)
            // The clock of the runs is not that of the server.
            let period = "?from=2001-01-01&to=2999-01-01"
            let report = try await server.ask("GET", "/api/v1/report" + period).json()
            #expect(
                report["attempts"]
                    == .array((1...3).map { ["attempt": .integer($0), "count": 1] }))
            let reported = try await server.ask("GET", "/report" + period).text
            #expect(reported.contains("Retries</a> <strong>2</strong> · attempt 2: 1 · attempt 3: 1"))
            let table = try await server.ask("GET", "/runs/export?format=csv&attempt=3").text.split(separator: "\r\n")
            #expect(table.first?.hasSuffix(",message,attempt") == true && table.last?.hasSuffix(",3") == true)
        }
    }

    @Test func `runs are listed newest first, page by page, and filtered`() async throws {
        try await TestServer.run { server in
            var ids: [String] = []
            for index in 0..<5 { ids.insert(try await server.start("run \(index)").run, at: 0) }
            _ = try await server.board.cancel(ids[2], actor: "test")
            var listed: [String] = []
            var next: JSONValue? = .null
            var pages = 0
            while pages == 0 || next != .null {
                let before = next?.integer.map { "&before=\($0)" } ?? ""
                let page = try await server.ask("GET", "/api/v1/runs?limit=2" + before).json()
                listed += page["runs"]?.array?.compactMap { $0["id"]?.string } ?? []
                next = page["next"]
                pages += 1
            }
            #expect(listed == ids)
            #expect(pages == 3)
            let cancelled = try await server.ask("GET", "/api/v1/runs?operation=steps&phase=cancelled").json()
            #expect(cancelled["runs"]?.array?.map { $0["id"]?.string } == [ids[2]])
            #expect(
                try await server.ask("GET", "/api/v1/runs?operation=keep").json() == [
                    "runs": [], "next": .null, "beyond": .null,
                ])
            for query in ["limit=0", "limit=x", "limit=501", "phase=x", "before=x", "startedAfter=x", "before=%zz"] {
                #expect(try await server.ask("GET", "/api/v1/runs?" + query).status == 400, "\(query)")
            }
        }
    }
}
