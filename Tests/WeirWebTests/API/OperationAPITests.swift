import Testing
import WeirBoards
import WeirStates

@testable import WeirWeb

@Suite(.timeLimit(.minutes(15)))
struct OperationAPITests {
    @Test func `operations are listed with their fields, their schema and their newest run`() async throws {
        try await TestServer.run { server in
            let receipt = try await server.start("World")
            let answer = try await server.ask("GET", "/api/v1/operations")
            #expect(answer.status == 200)
            #expect(answer["content-type"] == "application/json")
            let list = try #require(try answer.json()["operations"]?.array)
            #expect(list.map { $0["id"] } == ["steps", "keep"])
            let steps = list[0]
            #expect(steps["title"] == "Steps")
            #expect(steps["summary"] == "Goes step by step.")
            #expect(steps["lifetime"] == "onDemand")
            #expect(steps["reentry"] == "concurrent")
            #expect(steps["activeRuns"] == 1)
            #expect(steps["latest"]?["id"]?.string == receipt.run)
            #expect(
                steps["fields"] == [
                    ["name": "label", "label": "Label", "kind": "text", "required": true],
                    ["name": "last", "label": "Last", "kind": "integer", "required": false, "default": 0],
                ])
            #expect(steps["inputSchema"]?["properties"]?["label"]?["maxLength"] == 200)
            #expect(steps["inputSchema"]?["required"] == ["label"])
            #expect(try await server.ask("GET", "/api/v1/operations/steps").json() == steps)
        }
    }

    @Test func `what does not exist is told by kind`() async throws {
        try await TestServer.run { server in
            for (path, kind) in [
                ("operations/x", "unknown-operation"), ("runs/x", "unknown-run"), ("x", "not-found"),
                ("feeds/x/changes", "unknown-feed"), ("feeds/run-x/changes", "unknown-run"),
                ("feeds/operation-x/changes", "unknown-operation"), ("runs?operation=x", "unknown-operation"),
            ] {
                let answer = try await server.ask("GET", "/api/v1/" + path)
                #expect(answer.status == 404, "\(path)")
                #expect(answer["content-type"] == "application/problem+json")
                #expect(try answer.json()["type"]?.string == "urn:weir:problem:" + kind, "\(path)")
                #expect(try answer.json()["status"] == 404)
                #expect(try answer.json()["detail"]?.string?.isEmpty == false)
            }
        }
    }

    @Test func `another method is refused with those that are allowed`() async throws {
        try await TestServer.run { server in
            for (method, path, allowed) in [
                ("PUT", "/api/v1/runs/x", "GET, HEAD, DELETE"), ("GET", "/api/v1/operations/steps/runs", "POST"),
                ("PUT", "/api/v1/operations/steps/runs", "POST"), ("POST", "/", "GET, HEAD"),
                ("OPTIONS", "/api/v1/runs", "GET, HEAD"), ("HEAD", "/live/1/board/snap", "GET"),
            ] {
                let answer = try await server.ask(method, path)
                #expect(answer.status == 405, "\(method) \(path)")
                #expect(answer["allow"] == allowed, "\(method) \(path)")
            }
        }
    }

    @Test func `a head is answered like a get, without its body`() async throws {
        try await TestServer.run { server in
            let get = try await server.ask("GET", "/api/v1/operations")
            let head = try await server.ask("HEAD", "/api/v1/operations")
            #expect(head.status == 200)
            #expect(head["content-length"] == get["content-length"])
            #expect(head.body.isEmpty)
        }
    }

    @Test func `health tells life and readiness`() async throws {
        try await TestServer.run { server in
            #expect(try await server.ask("GET", "/health/live").json() == ["status": "live"])
            #expect(try await server.ask("GET", "/health/ready").json() == ["status": "ready", "role": "recording"])
            let connection = try await server.connect()
            try await connection.send(raw: "GET /health/ready HTTP/1.1\r\nHost: localhost\r\n")
            server.dashboard.drain()
            try await connection.send(raw: "\r\n")
            let answer = try await connection.response()
            #expect(answer.status == 503)
            #expect(answer["retry-after"] == "5")
        }
    }

    @Test func `hello greets whom it is told to greet`() async throws {
        try await TestServer.run { server in
            let answer = try await server.ask("GET", "/hello?label=J%C3%BCrgen+%3Cb%3E")
            #expect(answer.text == "Hello, J\u{fc}rgen <b>!")
            #expect(answer["content-type"] == "text/plain; charset=utf-8")
            #expect(try await server.ask("GET", "/hello").status == 400)
        }
    }
}
