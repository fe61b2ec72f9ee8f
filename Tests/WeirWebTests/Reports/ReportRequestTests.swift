import Foundation
import Testing
import WeirBoards
import WeirJournals
import WeirStates

@testable import WeirWeb

/// Requests of reporters at their edges, over connections: sections 5.1 to 5.4, 5.2.1, 9.1 and 12.7 of the Durable Streams
/// protocol.
@Suite(.timeLimit(.minutes(15)))
struct ReportRequestTests {
    private static let run = "/api/v1/streams/reported/deploy/r1"
    private static let json = "Content-Type: application/json"
    private static let closed = "Stream-Closed: true"

    private func producer(_ number: String, epoch: String = "0", id: String = "p") -> [String] {
        [Self.json, "Producer-Id: \(id)", "Producer-Epoch: \(epoch)", "Producer-Seq: \(number)"]
    }

    private func post(_ server: TestServer, _ headers: [String], _ body: String = #"{"state":"s"}"#) async throws
        -> RawResponse
    { try await server.ask("POST", Self.run, headers: headers, body: body) }

    // 5.1
    @Test func `a lifetime and a fork are refused, and an empty list opens a run without input`() async throws {
        try await TestServer.run(reporting: true) { server in
            for field in ["Stream-TTL: 60", "Stream-Expires-At: 2030-01-01T00:00:00Z", "Stream-Forked-From: /a"] {
                #expect(try await server.ask("PUT", Self.run, headers: [field], body: "").status == 400, "\(field)")
            }
            #expect(
                try await server.ask("PUT", Self.run, headers: ["Content-Type: text/plain"], body: "x").status == 409)
            #expect(try await server.ask("GET", Self.run).status == 404)
            let made = try await server.ask(
                "PUT", Self.run, headers: ["content-TYPE: Application/JSON; Charset=UTF-8"], body: "[]")
            #expect(made.status == 201)
            #expect(try await server.ask("PUT", Self.run, body: "").status == 200)
            #expect(try await server.ask("GET", Self.run).text == #"[{"input":{}}]"#)
        }
    }

    // 5.4
    @Test func `nothing is deleted`() async throws {
        try await TestServer.run(reporting: true) { server in
            _ = try await server.ask("PUT", Self.run, body: "")
            #expect(try await server.ask("DELETE", Self.run).status == 405)
            #expect(try await server.ask("HEAD", Self.run).status == 200)
        }
    }

    // 5.2 and 5.3
    @Test func `a run that nobody opened takes nothing, whatever is sent`() async throws {
        try await TestServer.run(reporting: true) { server in
            let state = #"{"state":"s"}"#
            let requests = [
                ([Self.json], state), ([Self.closed], ""), (producer("0"), state), ([Self.json, Self.closed], state),
            ]
            for (headers, body) in requests {
                let answer = try await post(server, headers, body)
                #expect(answer.status == 404, "\(headers)")
            }
            for method in ["GET", "HEAD"] { #expect(try await server.ask(method, Self.run).status == 404) }
        }
    }

    // 5.2: a body in pieces
    @Test func `messages may come in pieces of unknown length`() async throws {
        try await TestServer.run(reporting: true) { server in
            _ = try await server.ask("PUT", Self.run, body: "")
            let reporter = try await server.connect()
            try await reporter.send(
                raw:
                    "POST \(Self.run) HTTP/1.1\r\nHost: localhost\r\n\(Self.json)\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + "9\r\n[{\"line\":\"\r\n5\r\na\"}]\r\n\r\n0\r\n\r\n")
            let first = try await reporter.response()
            #expect(first.status == 400 || first.status == 204)
            let body = #"[{"line":"a"}]"#
            let halves = [body.prefix(6), body.dropFirst(6)].map { "\(String($0.utf8.count, radix: 16))\r\n\($0)\r\n" }
            let other = try await server.connect()
            try await other.send(
                raw:
                    "POST \(Self.run) HTTP/1.1\r\nHost: localhost\r\n\(Self.json)\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + halves.joined() + "0\r\n\r\n")
            #expect(try await other.response().status == 204)
            #expect(try await server.ask("GET", "/api/v1/streams/output-r1").json().array?.last?["text"] == "a")
        }
    }

    // 5.2: 413
    @Test func `a body that is too large is refused whole`() async throws {
        var configuration = WebConfiguration()
        configuration.maximumBodyBytes = 1_000
        try await TestServer.run(configuration: configuration, reporting: true) { server in
            _ = try await server.ask("PUT", Self.run, body: "")
            let line = #"{"line":"\#(String(repeating: "a", count: 1_000))"}"#
            #expect(try await post(server, producer("0"), "[\(line)]").status == 413)
            #expect(try await server.ask("GET", "/api/v1/streams/output-r1").text == "[]")
            // Its number is not used up.
            #expect(try await post(server, producer("0")).status == 200)
        }
    }

    // 9.1
    @Test func `a list is taken apart once, and what is in it must be messages`() async throws {
        try await TestServer.run(reporting: true) { server in
            _ = try await server.ask("PUT", Self.run, body: "")
            for body in [
                #"[[{"state":"s"}]]"#, "[1]", "[null]", #""state""#, "1", "null", "[[]]",
                #"{"state":"s"}{"state":"s"}"#,
                #"[{"state":"s"},]"#, "{}", #"{"state":"s","line":"l"}"#,
            ] {
                #expect(try await post(server, [Self.json], body).status == 400, "\(body)")
            }
            #expect(try await post(server, [Self.json], #"[{"state":"a"},{"state":"b"}]"#).status == 204)
            let states = try await server.ask("GET", "/api/v1/streams/run-r1").json().array
            #expect(states?.map { $0["case"] } == ["opened", "a", "b"])
        }
    }

    // 5.2.1
    @Test func `the fields of a producer are whole numbers and a name, all three of them`() async throws {
        try await TestServer.run(reporting: true) { server in
            _ = try await server.ask("PUT", Self.run, body: "")
            for number in ["", "-1", "+1", "01", "1.5", "1e3", "abc", "9007199254740992", "99999999999999999999"] {
                #expect(try await post(server, producer(number)).status == 400, "\(number)")
                #expect(try await post(server, producer("0", epoch: number)).status == 400, "\(number)")
            }
            for id in ["", String(repeating: "p", count: 256)] {
                #expect(try await post(server, producer("0", id: id)).status == 400)
            }
            for missing in 1...3 {
                var headers = producer("0")
                headers.remove(at: missing)
                #expect(try await post(server, headers).status == 400)
            }
            #expect(try await post(server, producer("0") + ["Producer-Seq: 0"]).status == 400)
            #expect(try await post(server, producer("0") + ["Content-Type: text/plain"], "").status == 400)
            #expect(try await post(server, producer("0"), "[]").status == 400)
            #expect(try await post(server, producer("0"), "{").status == 400)
            // None of them was taken for a request of the producer.
            #expect(try await post(server, producer("0", epoch: "9007199254740991")).status == 200)
        }
    }

    // 5.2.1: closure
    @Test func `only the request that ended a run is known again, whatever its body, and an older life is fenced`()
        async throws
    {
        try await TestServer.run(reporting: true) { server in
            _ = try await server.ask("PUT", Self.run, body: "")
            #expect(try await post(server, producer("0", epoch: "1")).status == 200)
            let end = producer("1", epoch: "1") + [Self.closed]
            #expect(try await post(server, end, "").status == 200)
            for body in ["", #"{"state":"other"}"#] {
                let again = try await post(server, end, body)
                #expect(again.status == 204)
                #expect(again["stream-closed"] == "true")
            }
            for headers in [producer("2", epoch: "1"), producer("0", id: "q"), producer("0", epoch: "2")] {
                let late = try await post(server, headers + [Self.closed], "")
                #expect(late.status == 409, "\(headers)")
                #expect(late["stream-closed"] == "true")
            }
            let fenced = try await post(server, producer("0"))
            #expect(fenced.status == 403)
            #expect(fenced["producer-epoch"] == "1")
            let changes = try await server.ask("GET", "/api/v1/streams/run-r1").json().array
            #expect(changes?.map { $0["case"] } == ["opened", "s", "succeeded"])
        }
    }

    // 5.3
    @Test func `to end a run without a message, no type of the body matters`() async throws {
        try await TestServer.run(reporting: true) { server in
            _ = try await server.ask("PUT", Self.run, body: "")
            for value in ["", "false", "yes", "1"] {
                #expect(try await post(server, ["Stream-Closed: \(value)"], "").status == 400, "\(value)")
            }
            let ended = try await post(server, [Self.closed, "Content-Type: text/plain"], "")
            #expect(ended.status == 204)
            #expect(ended["stream-closed"] == "true")
            let head = try await server.ask("HEAD", Self.run)
            #expect(ended["stream-next-offset"] == head["stream-next-offset"])
        }
    }

    // 12.7
    @Test func `every answer says that its type is what it says, and that it is for this site`() async throws {
        try await TestServer.run(reporting: true) { server in
            func hold(_ answer: RawResponse, _ status: Int) {
                #expect(answer.status == status)
                #expect(answer["x-content-type-options"] == "nosniff", "\(status)")
                #expect(answer["cross-origin-resource-policy"] == "same-origin", "\(status)")
            }
            hold(try await server.ask("PUT", Self.run, body: ""), 201)
            hold(try await post(server, [Self.json]), 204)
            hold(try await post(server, [Self.json], "{"), 400)
            hold(try await server.ask("HEAD", Self.run), 200)
            hold(try await server.ask("GET", Self.run), 200)
            hold(try await server.ask("GET", "/api/v1/streams/run-none"), 404)
            hold(try await post(server, [Self.closed], ""), 204)
            for live in ["", "&live=long-poll", "&live=sse"] {
                hold(try await server.ask("GET", "/api/v1/streams/run-r1?offset=-1" + live), 200)
            }
            hold(try await server.ask("GET", "/api/v1/streams/run-r1?offset=now&live=long-poll"), 204)
        }
    }

    @Test func `what is reported is marked as such, on pages in both languages and in the API`() async throws {
        try await TestServer.run(reporting: true) { server in
            let opening = #"{"title":"Nightly <backup>"}"#
            _ = try await server.ask("PUT", Self.run, headers: [Self.json, "X-Weir-Actor: Ana"], body: opening)
            let run = try await server.ask("GET", "/api/v1/runs/r1").json()
            #expect(run["reported"] == true)
            #expect(run["title"] == "Nightly <backup>")
            #expect(try await server.ask("GET", "/api/v1/operations/deploy").json()["reported"] == true)
            #expect(try await server.ask("GET", "/api/v1/operations/steps").json()["reported"] == false)
            let own = try await server.start().run
            #expect(try await server.ask("GET", "/api/v1/runs/\(own)").json()["reported"] == false)
            for (language, run, operation, started) in [
                ("en", "Reported by Ana", "runs are reported by programs elsewhere", "Started by"),
                ("pt-BR", "Relatada por Ana", "as execuções são relatadas por programas externos", "Iniciada por"),
            ] {
                let headers = ["Accept: text/html", "Accept-Language: \(language)"]
                let page = try await server.ask("GET", "/runs/r1", headers: headers).text
                #expect(page.contains(run))
                #expect(page.contains("Nightly &lt;backup&gt;"))
                #expect(!page.contains(started))
                let whole = try await server.ask("GET", "/operations/deploy", headers: headers).text
                #expect(whole.contains(operation))
                #expect(whole.contains(run))
                let other = try await server.ask("GET", "/operations/steps", headers: headers).text
                #expect(!other.contains(operation))
                let runs = try await server.ask("GET", "/runs", headers: headers).text
                #expect(runs.contains("Nightly &lt;backup&gt;"))
                let ours = try await server.ask("GET", "/runs/\(own)", headers: headers).text
                #expect(ours.contains(started))
            }
        }
    }
}
