import HTTPTypes
import Testing
import WeirBoards
import WeirStates

@testable import WeirWeb

@Suite(.timeLimit(.minutes(15))) struct ProblemTests {
    // S9
    @Test(arguments: [
        (BoardError.Code.overloaded, 503), (.limitReached, 429), (.unavailable, 503), (.busy, 409), (.noSpace, 507),
    ])
    func `who is refused because too much goes on is told when to come again`(code: BoardError.Code, status: Int) {
        let problem = Problem(BoardError(code, Message(verbatim: "Wait.")))
        #expect(problem.status.code == status)
        #expect((problem.headers[.retryAfter] != nil) == (status < 507 && status != 409))
    }

    @Test func `who sends a little too much is told that the connection ends, so that the rest is no next request`()
        async throws
    {
        var configuration = WebConfiguration()
        configuration.maximumBodyBytes = 10
        try await TestServer.run(configuration: configuration) { server in
            let answer = try await server.ask(
                "POST", "/api/v1/operations/steps/runs", headers: ["Content-Type: application/json"],
                body: #"{"label": "a", "last": 0}"#)
            #expect(answer.status == 413 && answer["connection"] == "close")
        }
    }

    @Test func `who asks for what there is not can ask for something else on the same connection`() async throws {
        try await TestServer.run { server in
            let connection = try await server.connect()
            for _ in 0..<2 {
                try await connection.send("GET", "/api/v1/runs/none")
                let answer = try await connection.response()
                #expect(answer.status == 404 && answer["connection"]?.lowercased() != "close")
            }
            await connection.close()
        }
    }
}
