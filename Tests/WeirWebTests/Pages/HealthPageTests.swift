import Testing
import WeirBoards
import WeirStates

@testable import WeirWeb

@Suite(.timeLimit(.minutes(15)))
struct HealthPageTests {
    @Test func `an operation's page leads to its health, which has the same figures for programs`() async throws {
        try await TestServer.run { server in
            for _ in 0..<2 {
                let run = try await server.start().run
                _ = try await server.board.cancel(run, actor: "test")
                await server.board.outcome(of: run)
            }
            let operation = try await server.ask("GET", "/operations/steps", headers: ["Accept: text/html"])
            #expect(operation.text.contains("href=\"/operations/steps/health\""))
            let page = try await server.ask("GET", "/operations/steps/health", headers: ["Accept: text/html"])
            #expect(page.status == 200 && page.text.contains("From 2 runs of the last 30 days"))
            let json = try await server.ask("GET", "/api/v1/operations/steps/health").json()
            #expect(json["figures"]?["stopped"] == 2 && json["figures"]?["successRate"] == .null)
            #expect(json["bucket"] == "hour" && json["buckets"]?.array?.count == 25)
        }
    }

    @Test func `the figures are those after the newest change`() async throws {
        try await TestServer.run { server in
            let path = "/api/v1/operations/steps/health"
            #expect(try await server.ask("GET", path).json()["figures"]?["stopped"] == 0)
            let run = try await server.start().run
            _ = try await server.board.cancel(run, actor: "test")
            await server.board.outcome(of: run)
            #expect(try await server.ask("GET", path).json()["figures"]?["stopped"] == 1)
        }
    }

    @Test func `an operation that is not there has no health`() async throws {
        try await TestServer.run { server async throws in
            #expect(try await server.ask("GET", "/operations/nothing/health").status == 404)
            #expect(try await server.ask("GET", "/api/v1/operations/nothing/health").status == 404)
        }
    }
}
