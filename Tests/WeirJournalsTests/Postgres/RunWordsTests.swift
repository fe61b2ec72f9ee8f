import Testing
import WeirJournals

@testable import WeirPostgres

@Suite struct RunWordsTests {
    @Test(arguments: [1, 199, 200, 201, 400])
    func `a word is searched by as much of it as the index holds`(length: Int) {
        let word = String(repeating: "x", count: length)
        let expression = RunWords.expression(SearchQuery("\"\(word)\"").terms)
        #expect(expression.count { $0 == "x" } == min(length, RunWords.longestLexeme))
    }

    @Test func `a word is cut between two letters`() {
        let word = "a" + String(repeating: "\u{3A9}", count: 150)
        let expression = RunWords.expression(SearchQuery(word).terms)
        #expect(expression.count { $0 == "\u{3C9}" } == 99)
    }
}
