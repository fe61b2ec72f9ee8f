import Synchronization
import Testing

@testable import WeirAccess

@Suite struct AccessControlTests {
    private let subjects = [Subject(.operation("deploy")), Subject(.store("todo"))]
    private let ana = Principal(.person, name: "ana", assignments: [RoleAssignment("viewer")])

    @Test func `what changes while somebody is looked up is looked at again`() {
        let control = AccessControl()
        let ana = Principal(.person, name: "ana", assignments: [RoleAssignment("operator")])
        // Their roles are taken away just behind the look-up, which still had them.
        control.look(up: { [weak control] _ in
            control?.invalidate()
            return ana
        })
        let held = control.authorize(ana, credential: .session("s"))
        control.invalidate()
        let current = control.current(held)
        #expect(current != nil && current?.generation != control.generation)
    }

    @Test func `people with the same rights are one audience, whatever their names`() {
        let control = AccessControl(subjects: subjects)
        let bob = Principal(.person, name: "bob", groups: ["x"], assignments: [RoleAssignment("viewer")])
        let eve = Principal(.person, name: "eve", assignments: [RoleAssignment("operator")])
        let audience = control.authorize(ana).audience
        #expect(audience == control.authorize(bob).audience)
        #expect(audience != control.authorize(eve).audience)
        #expect(audience.label != control.authorize(eve).audience.label)
        #expect(control.authorize(.localOperator).audience == control.authorize(.system).audience)
    }

    @Test func `an audience's label is the same in every process and fits an address`() {
        let label = AccessControl(subjects: subjects).authorize(.localOperator).audience.label
        #expect(label == AccessControl(subjects: subjects.reversed()).authorize(.localOperator).audience.label)
        #expect(label.utf8.count == 13)
        #expect(label.allSatisfy { $0.isASCII && ($0.isNumber || $0.isLowercase) })
    }

    @Test func `each run's link is an audience of its own`() {
        let control = AccessControl(subjects: subjects)
        let first = control.authorize(.link(id: "1", run: "a")).audience
        #expect(first != control.authorize(.link(id: "2", run: "b")).audience)
        #expect(first == control.authorize(.link(id: "3", run: "a")).audience)
        #expect(first != control.authorize(.anonymous).audience)
    }

    @Test func `a visitor whom nobody knows is told from one who may do something`() {
        let control = AccessControl(subjects: subjects)
        #expect(control.isAnonymous(control.authorize(.anonymous).audience))
        #expect(!control.isAnonymous(control.authorize(ana).audience))
    }

    @Test func `an authorization stays as it is until something changes`() throws {
        let control = AccessControl(subjects: subjects)
        let authorization = control.authorize(ana)
        #expect(try #require(control.current(authorization)).generation == authorization.generation)
        control.replace(rules: AccessRules(grants: [RoleGrant(RoleAssignment("operator"), to: [.user("ana")])]))
        let current = try #require(control.current(authorization))
        #expect(current.generation > authorization.generation)
        #expect(current.permissions.allows(.start, on: .operation("deploy")))
    }

    @Test func `what was revoked is known to be at the next look`() {
        let control = AccessControl(subjects: subjects)
        let sessions = Mutex(["s1": ana])
        control.look(up: { credential in
            guard case .session(let id) = credential else { return nil }
            return sessions.withLock { $0[id] }
        })
        let authorization = control.authorize(ana, credential: .session("s1"))
        control.invalidate()
        #expect(control.current(authorization) != nil)
        sessions.withLock { $0["s1"] = nil }
        control.invalidate()
        #expect(control.current(authorization) == nil)
    }

    @Test func `a session's rights are looked up anew after a change`() throws {
        let control = AccessControl(subjects: subjects)
        let role = Mutex("operator")
        control.look(up: { _ in
            Principal(.person, name: "ana", assignments: [RoleAssignment(role.withLock { $0 })])
        })
        let first = control.authorize(
            Principal(.person, name: "ana", assignments: [RoleAssignment("operator")]), credential: .session("s"))
        role.withLock { $0 = "viewer" }
        control.invalidate()
        let current = try #require(control.current(first))
        #expect(!current.permissions.allows(.start, on: .operation("deploy")))
        #expect(current.audience != first.audience)
    }

    @Test func `without anybody who looks credentials up a change ends them all`() {
        let control = AccessControl(subjects: subjects)
        let authorization = control.authorize(ana, credential: .token("t"))
        control.invalidate()
        #expect(control.current(authorization) == nil)
    }

    @Test func `a new operation is in no audience before somebody may see it`() throws {
        let control = AccessControl(
            rules: AccessRules(grants: [
                RoleGrant(
                    RoleAssignment("viewer", on: SubjectSelection(tags: ["open"])), to: [.everyone])
            ]), subjects: subjects)
        let before = control.authorize(.anonymous)
        #expect(!before.permissions.allowsAnywhere(.see))
        control.replace(subjects: subjects + [Subject(.operation("news"), tags: ["open"])])
        let after = try #require(control.current(before))
        #expect(after.permissions.allows(.see, on: .operation("news")))
        #expect(!after.permissions.allows(.see, on: .operation("deploy")))
    }
}
