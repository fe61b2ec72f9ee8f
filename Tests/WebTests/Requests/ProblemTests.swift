import Boards
import HTTPTypes
import States
import Testing

@testable import Web

@Suite(.timeLimit(.minutes(5))) struct ProblemTests {
    // S9
    @Test(arguments: [(BoardError.Code.overloaded, 503), (.limitReached, 429), (.unavailable, 503), (.busy, 409)])
    func `who is refused because too much goes on is told when to come again`(code: BoardError.Code, status: Int) {
        let problem = Problem(BoardError(code, Message(verbatim: "Wait.")))
        #expect(problem.status.code == status)
        #expect((problem.headers[.retryAfter] != nil) == (status != 409))
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
