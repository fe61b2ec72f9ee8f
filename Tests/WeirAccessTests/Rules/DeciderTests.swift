import Testing

@testable import WeirAccess

/// Who takes the decisions that an operation asks for.
@Suite struct DeciderTests {
    private let approval = Subject.ID.approval(operation: "deploy", step: "approval")

    private func mayDecide(_ principal: Principal, _ who: [String], roles: [Role] = []) -> Bool {
        let deciders = who.compactMap { Decider($0) }
        let subjects = [
            Subject(.operation("deploy")),
            Subject(
                approval, tags: [], chosenAs: .operation("deploy"), deciders: deciders.isEmpty ? nil : deciders),
        ]
        return AccessRules(roles: roles).permissions(of: principal, on: subjects).allows(.act, on: approval)
    }

    private func person(_ name: String, _ roles: String..., groups: Set<String> = []) -> Principal {
        Principal(.person, name: name, identity: name, groups: groups, assignments: roles.map { RoleAssignment($0) })
    }

    @Test func `whoever may act on the operation decides, unless it says more`() {
        #expect(mayDecide(person("ana", "operator"), []))
        #expect(!mayDecide(person("vera", "viewer"), []))
        #expect(mayDecide(.localOperator, ["user:otto"]))
    }

    @Test func `only those decide who have the role, belong to the group, or are the person`() {
        let release = Role("release", verbs: VerbSet([.see]))
        #expect(!mayDecide(person("ana", "admin"), ["role:release", "group:ops", "user:otto"], roles: [release]))
        #expect(mayDecide(person("ana", "operator", "release"), ["role:release"], roles: [release]))
        #expect(mayDecide(person("ana", "operator", groups: ["ops"]), ["group:ops"]))
        #expect(mayDecide(person("otto", "operator"), ["user:otto"]))
        // Being named does not replace the right to act.
        #expect(!mayDecide(person("otto", "viewer"), ["user:otto"]))
    }

    @Test func `a decision is chosen with its operation`() throws {
        let selection = SubjectSelection(operations: [try #require(IDPattern("deploy"))])
        #expect(selection.contains(Subject(approval, tags: [], chosenAs: .operation("deploy"))))
        #expect(!selection.contains(Subject(approval, tags: [], chosenAs: .operation("other"))))
    }
}
