import Testing

@testable import WeirAccess

@Suite struct IDPatternTests {
    @Test(arguments: [
        ("deploy", "deploy", true), ("deploy", "deploys", false), ("deploy*", "deploy", true),
        ("deploy*", "deploy-web", true), ("*", "", true), ("*", "x", true), ("*-web", "deploy-web", true),
        ("*-web", "deploy-web-2", false), ("d?ploy", "deploy", true), ("d?ploy", "dploy", false),
        ("a*b*c", "a-b-b-c", true), ("a*b*c", "a-c-b", false), ("?", "", false), ("**", "x", true),
    ])
    func `a pattern matches the whole id`(pattern: String, id: String, isMatch: Bool) throws {
        #expect(try #require(IDPattern(pattern)).matches(id) == isMatch)
    }

    @Test(arguments: ["", "UPPER", "with space", "a/b", "é", String(repeating: "a", count: 129)])
    func `what no id could match is no pattern`(text: String) {
        #expect(IDPattern(text) == nil)
    }

    @Test func `many stars on a long id end soon`() throws {
        let pattern = try #require(IDPattern(String(repeating: "*a", count: 63) + "b"))
        #expect(!pattern.matches(String(repeating: "a", count: 20_000)))
    }
}
