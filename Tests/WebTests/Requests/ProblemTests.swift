import Boards
import HTTPTypes
import States
import Testing

@testable import Web

@Suite struct ProblemTests {
    // S9
    @Test(arguments: [(BoardError.Code.overloaded, 503), (.limitReached, 429), (.unavailable, 503), (.busy, 409)])
    func `who is refused because too much goes on is told when to come again`(code: BoardError.Code, status: Int) {
        let problem = Problem(BoardError(code, Message(verbatim: "Wait.")))
        #expect(problem.status.code == status)
        #expect((problem.headers[.retryAfter] != nil) == (status != 409))
    }
}
