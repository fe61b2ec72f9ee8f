import Testing

@testable import MarkupTesting

struct ErrorLogTests {
    @Test func `of a page full of mistakes the first 200 are told`() {
        let log = ErrorLog()
        for line in 1...300 {
            log.add(ErrorLog.Entry(code: 1, line: line, column: 1, message: "", names: [], node: nil))
        }
        #expect(log.entries.map(\.line) == Array(1...200))
    }
}
