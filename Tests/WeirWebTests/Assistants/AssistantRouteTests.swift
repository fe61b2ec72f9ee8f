import Testing
import WeirBoards
import WeirStates

@testable import WeirWeb

/// Assistants over HTTP, with the API of a server.
@Suite(.timeLimit(.minutes(15)))
struct AssistantRouteTests {
    private func call(
        _ server: TestServer, _ tool: String, _ arguments: JSONValue = [:], headers: [String] = []
    ) async throws -> JSONValue {
        let message: JSONValue = [
            "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": ["name": .string(tool), "arguments": arguments],
        ]
        let answer = try await server.ask(
            "POST", "/mcp", headers: ["Content-Type: application/json"] + headers, body: try message.text())
        #expect(answer.status == 200)
        return try #require(try answer.json()["result"])
    }

    @Test func `an assistant starts a run, follows it, and reads its state`() async throws {
        var configuration = WebConfiguration()
        configuration.assistantsMayChange = true
        try await TestServer.run(configuration: configuration) { server in
            let operations = try await call(server, "list_operations", ["search": "steps"])["structuredContent"]
            #expect(operations?["operations"]?.array?.count == 1)
            let started = try await call(
                server, "start_run", ["operation": "steps", "input": ["label": "World", "last": 0]],
                headers: ["X-Weir-Actor: Ana"])["structuredContent"]
            let run = try #require(started?["id"]?.string)
            async let following = call(server, "follow_run", ["run": .string(run), "seconds": 50])
            server.gate.finish()
            let ended = try await following["structuredContent"]
            #expect(ended?["phase"] == "succeeded")
            #expect(ended?["actor"] == "Ana")
            #expect(ended?["link"]?.string?.hasSuffix("/runs/\(run)") == true)
            let again = try await call(server, "explain_failure", ["run": .string(run)])
            #expect(again["isError"] == true)
        }
    }

    @Test func `a request of a tool has the actor that the proxy names`() async throws {
        var configuration = WebConfiguration()
        configuration.assistantsMayChange = true
        configuration.actorHeader = "X-Remote-User"
        try await TestServer.run(configuration: configuration) { server in
            let run = try await call(
                server, "start_run", ["operation": "steps", "input": ["label": "a", "last": 0]],
                headers: ["X-Remote-User: Ana", "Idempotency-Key: k", "Prefer: wait=5"])["structuredContent"]
            #expect(run?["actor"] == "Ana")
        }
    }

    @Test func `without the setting, no tool changes anything`() async throws {
        try await TestServer.run { server in
            let answer = try await server.ask(
                "POST", "/mcp", headers: ["Content-Type: application/json"],
                body: #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"start_run"}}"#)
            #expect(try answer.json()["error"]?["code"] == -32_602)
        }
    }

    @Test func `only a POST with JSON and a known version is answered, and a notification gets 202`() async throws {
        try await TestServer.run { server in
            let ping = #"{"jsonrpc":"2.0","id":1,"method":"ping"}"#
            let json = "Content-Type: application/json"
            let get = try await server.ask("GET", "/mcp")
            #expect(get.status == 405 && get["allow"] == "POST")
            #expect(
                try await server.ask("POST", "/mcp", headers: ["Content-Type: text/plain"], body: ping).status == 415)
            let old = try await server.ask("POST", "/mcp", headers: [json, "MCP-Protocol-Version: 1"], body: ping)
            #expect(old.status == 400)
            #expect(try await server.ask("POST", "/mcp", headers: [json], body: ping).json()["result"] == [:])
            let notification = #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#
            #expect(try await server.ask("POST", "/mcp", headers: [json], body: notification).status == 202)
            let forged = try await server.ask(
                "POST", "/mcp", headers: [json, "Origin: http://evil.example"], body: ping)
            #expect(forged.status == 403)
        }
    }
}
