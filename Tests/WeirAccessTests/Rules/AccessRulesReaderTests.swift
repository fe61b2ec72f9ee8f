import Testing

@testable import WeirAccess

@Suite struct AccessRulesReaderTests {
    private func text(_ text: String, line: Int = 1) -> RuleNode { RuleNode(.text(text), line: line) }
    private func list(_ texts: String..., line: Int = 1) -> RuleNode {
        RuleNode(.list(texts.map { RuleNode(.text($0), line: line) }), line: line)
    }
    private func map(_ members: [(String, RuleNode)], line: Int = 1) -> RuleNode {
        RuleNode(.mapping(members.map { (text($0.0, line: line), $0.1) }), line: line)
    }

    @Test func `roles and grants are read as they are written`() {
        let roles = map([
            (
                "deployer",
                map([("verbs", list("see", "start")), ("operations", list("deploy-*")), ("tags", list("production"))])
            )
        ])
        let grants = RuleNode(
            .list([
                map([("role", text("deployer")), ("to", list("group:ops", "user:ana"))]),
                map([("role", text("viewer")), ("to", text("signed-in")), ("stores", list("todo"))]),
            ]), line: 5)
        let (rules, mistakes) = AccessRulesReader.read(roles: roles, grants: grants)
        #expect(mistakes.isEmpty)
        #expect(rules.roles["deployer"]?.verbs.verbs == [.see, .start])
        #expect(rules.grants.count == 2)
        let subjects = [
            Subject(.operation("deploy-web")), Subject(.operation("other"), tags: ["production"]),
            Subject(.store("todo")),
        ]
        let ana = rules.permissions(of: Principal(.person, name: "ana"), on: subjects)
        #expect(ana.allows(.start, on: .operation("deploy-web")) && ana.allows(.start, on: .operation("other")))
        #expect(ana.verbs(on: .store("todo")).verbs == [.see])
    }

    @Test func `an empty list of operations selects nothing, and no list everything`() {
        func sees(_ members: [(String, RuleNode)]) -> Bool {
            let grants = RuleNode(
                .list([map([("role", text("viewer")), ("to", text("everyone"))] + members)]), line: 1)
            let rules = AccessRulesReader.read(roles: nil, grants: grants).rules
            return rules.permissions(of: .anonymous, on: [Subject(.operation("a"))]).allowsAnywhere(.see)
        }
        #expect(sees([]))
        #expect(!sees([("operations", RuleNode(.list([]), line: 1))]))
    }

    @Test func `every mistake is reported with its line`() {
        let roles = map(
            [
                ("admin", map([("verbs", list("see"))], line: 2)), ("Deployer", map([("verbs", list("see"))])),
                ("a", map([("verbs", list("fly", line: 4))], line: 4)),
                ("b", map([("operations", list("x"))], line: 5)),
                ("c", map([("verbs", list("see")), ("operations", list("UPPER", line: 6))], line: 6)),
                ("d", map([("verb", list("see"))], line: 7)),
            ], line: 2)
        let grants = RuleNode(
            .list([
                map([("role", text("nobody", line: 9)), ("to", text("everyone"))], line: 9),
                map([("role", text("viewer")), ("to", text("ana", line: 10))], line: 10),
                map([("role", text("viewer"))], line: 11), text("x", line: 12),
            ]), line: 8)
        let mistakes = AccessRulesReader.read(roles: roles, grants: grants).mistakes
        #expect(mistakes.map(\.line) == [2, 2, 4, 5, 6, 7, 7, 9, 10, 11, 12])
        #expect(AccessRulesReader.read(roles: text("x"), grants: text("y")).mistakes.count == 2)
    }
}
