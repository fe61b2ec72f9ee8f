import Synchronization
import Testing
import WeirFlows
import WeirStates

@testable import WeirWeb

/// The Model Context Protocol, with an API that the tests provide.
@Suite(.timeLimit(.minutes(15)))
struct AssistantServerTests {
    private static func server(
        allowsChanges: Bool = false, _ api: @escaping AssistantTools.API = { _ in .init(status: 200, body: [:]) }
    ) -> AssistantServer {
        AssistantServer(version: "1", allowsChanges: allowsChanges, address: "http://weir.example", api: api)
    }

    private func call(_ server: AssistantServer, _ tool: String, _ arguments: JSONValue = [:]) async throws -> JSONValue
    {
        let message: JSONValue = [
            "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": ["name": .string(tool), "arguments": arguments],
        ]
        return try #require(await server.answer(message.text()))
    }

    @Test(arguments: [
        ("{", -32_700), ("[]", -32_600), ("1", -32_600), ("{}", -32_600),
        (#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32_600),
        (#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, -32_600),
        (#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, -32_600),
        (#"{"jsonrpc":"2.0","id":1,"method":7}"#, -32_600),
        (#"{"jsonrpc":"2.0","id":1,"method":"resources/list"}"#, -32_601),
        (#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#, -32_602),
        (#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"start_run"}}"#, -32_602),
        (#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_runs","arguments":[]}}"#, -32_602),
        (#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"follow_run"}}"#, -32_602),
        (
            #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_runs","arguments":{"limit":1e99}}}"#,
            -32_602
        ),
        (#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_runs","arguments":{"x":1}}}"#, -32_602),
    ])
    func `a message that is not understood gets an error of JSON-RPC`(message: String, code: Int) async {
        let answer = await Self.server().answer(message)
        #expect(answer?["error"]?["code"]?.integer == Int64(code))
        #expect(answer?["jsonrpc"] == "2.0")
    }

    @Test func `a message that is too long is not parsed`() async {
        let answer = await Self.server().answer(String(repeating: "[", count: AssistantServer.messageLimit + 1))
        #expect(answer?["error"]?["code"] == -32_600)
    }

    @Test(arguments: [
        #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, #"{"jsonrpc":"2.0","id":1,"result":{}}"#,
    ])
    func `a notification and a response have no answer`(message: String) async {
        #expect(await Self.server().answer(message) == nil)
    }

    @Test func `the server takes a known version of the protocol, and offers its newest for another`() async {
        for (asked, answered) in [("2024-11-05", "2024-11-05"), ("1999-01-01", "2025-11-25")] {
            let answer = await Self.server().answer(
                #"{"jsonrpc":"2.0","id":"a","method":"initialize","params":{"protocolVersion":"\#(asked)"}}"#)
            #expect(answer?["id"] == "a")
            #expect(answer?["result"]?["protocolVersion"] == .string(answered))
        }
    }

    @Test func `tools that change something are offered only if they are allowed`() async {
        for allows in [false, true] {
            let answer = await Self.server(allowsChanges: allows).answer(
                #"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#)
            let tools = answer?["result"]?["tools"]?.array ?? []
            #expect(tools.contains { $0["name"] == "explain_failure" })
            #expect(tools.contains { $0["annotations"]?["readOnlyHint"] == false } == allows)
            #expect(tools.contains { $0["name"] == "start_run" } == allows)
        }
    }

    @Test func `a problem of the API is a failed result that says what to correct`() async throws {
        let server = Self.server { _ in
            AssistantTools.Answer(
                status: 422,
                body: ["detail": "Not valid.", "errors": [["field": "label", "detail": "This is required."]]])
        }
        let result = try await call(server, "list_runs")["result"]
        #expect(result?["isError"] == true)
        #expect(result?["content"]?.element(at: 0)?["text"] == "Not valid. label: This is required.")
    }

    @Test func `a result that is too large is refused with a sentence`() async throws {
        let long = JSONValue.string(String(repeating: "x", count: 7_000))
        let run: JSONValue = ["id": "r", "input": ["text": long]]
        let server = Self.server { _ in .init(status: 200, body: ["runs": .array(Array(repeating: run, count: 50))]) }
        let result = try await call(server, "list_runs", ["limit": 50])["result"]
        #expect(result?["isError"] == true)
    }

    @Test func `a segment of a path and a query are values, and nothing else`() async throws {
        let sent = Mutex<[AssistantTools.Request]>([])
        let server = Self.server { request in
            sent.withLock { $0.append(request) }
            return .init(status: 200, body: ["lines": []])
        }
        _ = try await call(server, "read_output", ["run": "../x?y", "after": 3, "search": "a&b"])
        let request = try #require(sent.withLock { $0 }.first)
        #expect(request.path == ["runs", "../x?y", "output"])
        #expect(request.query.contains { $0.name == "search" && $0.value == "a&b" })
    }

    @Test func `a number beyond 1e308 is a text, as in the body of any request`() async throws {
        let bodies = Mutex<[JSONValue?]>([])
        let server = Self.server(allowsChanges: true) { request in
            bodies.withLock { $0.append(request.body) }
            return .init(status: 201, body: [:])
        }
        let arguments = #"{"operation":"steps","input":{"label":1e400}}"#
        _ = await server.answer(
            #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"start_run","arguments":\#(arguments)}}"#)
        #expect(bodies.withLock { $0.first } == ["label": "1e400"])
    }

    @Test func `a text of few but very long characters is cut by its bytes`() async throws {
        let long = "e" + String(repeating: "\u{301}", count: 100_000)
        let server = Self.server { _ in
            .init(status: 200, body: ["runs": [["id": "a", "input": ["text": .string(long)]]], "next": nil])
        }
        let result = try await call(server, "list_runs")["result"]
        #expect(result?["isError"] == false)
        let input = result?["structuredContent"]?["runs"]?.element(at: 0)?["input"]?.string
        #expect((1...8_000).contains(input?.utf8.count ?? 0))
    }

    @Test func `a server that holds no request any more is not asked again and again`() async throws {
        let asked = Locked(0)
        let server = Self.server { _ in
            asked.withLock { $0 += 1 }
            return .init(status: 200, body: ["id": "a", "endedAt": nil, "next": "a.1", "changes": []])
        }
        let result = try await call(server, "follow_run", ["run": "a", "seconds": 50])["result"]
        #expect(result?["isError"] == false && asked.withLock { $0 } <= 3)
    }

    @Test func `a failure is explained without the runs before it if they cannot be compared`() async throws {
        let server = Self.server { request in
            if request.path.last == "comparison" { return .init(status: 410, body: ["detail": "It is gone."]) }
            if request.path == ["runs"] { return .init(status: 200, body: ["runs": [["id": "b"]]]) }
            return .init(
                status: 200, body: ["id": "a", "phase": "failed", "case": "failed", "state": ["message": "Full."]])
        }
        let result = try await call(server, "explain_failure", ["run": "a"])["result"]
        #expect(result?["structuredContent"]?["reason"] == "Full.")
        #expect(result?["structuredContent"]?["sinceLastSuccess"] == nil)
    }
}
