import Testing

@testable import WeirAccess

@Suite struct AccessRulesTests {
    private let subjects = [
        Subject(.operation("backup-daily"), tags: ["nightly"]), Subject(.operation("backup-weekly")),
        Subject(.operation("deploy"), tags: ["production"]), Subject(.store("todo")),
        Subject(.store("checklist"), tags: ["production"]),
    ]

    private func pattern(_ text: String) throws -> IDPattern { try #require(IDPattern(text)) }

    @Test func `whoever has no role may do nothing`() {
        let permissions = AccessRules().permissions(of: Principal(.person, name: "ana"), on: subjects)
        for verb in Verb.allCases { #expect(!permissions.allowsAnywhere(verb)) }
    }

    @Test func `the local operator and the server itself may do everything`() {
        for principal in [Principal.localOperator, .system] {
            let permissions = AccessRules().permissions(of: principal, on: subjects)
            for verb in Verb.allCases { #expect(permissions.allowsEverywhere(verb)) }
        }
    }

    @Test func `the built-in roles hold what they say`() {
        let rules = AccessRules()
        func verbs(_ role: String) -> VerbSet {
            let principal = Principal(.person, name: "ana", assignments: [RoleAssignment(role)])
            return rules.permissions(of: principal, on: subjects).verbs(on: .operation("deploy"))
        }
        #expect(verbs("viewer").verbs == [.see])
        #expect(verbs("operator").verbs == [.see, .start, .cancel, .act, .export, .report])
        #expect(verbs("admin") == .all)
        #expect(verbs("owner").isEmpty)
    }

    @Test func `a role of an own kind is held to its patterns and tags, and says nothing about the server`() throws {
        let role = Role(
            "nights", verbs: VerbSet([.see, .start]),
            selection: SubjectSelection(operations: [try pattern("backup-w*")], tags: ["nightly"]))
        let principal = Principal(.person, name: "ana", assignments: [RoleAssignment("nights")])
        let permissions = AccessRules(roles: [role]).permissions(of: principal, on: subjects)
        #expect(permissions.allows(.start, on: .operation("backup-daily")))
        #expect(permissions.allows(.start, on: .operation("backup-weekly")))
        #expect(!permissions.allows(.see, on: .operation("deploy")))
        #expect(!permissions.allows(.see, on: .store("todo")))
        #expect(!permissions.allows(.see, on: .server))
        #expect(!permissions.allows(.see, on: .operation("backup-w-that-there-is-not")))
        #expect(!permissions.allowsEverywhere(.see))
    }

    @Test func `a pattern of operations gives nothing on a store of the same id`() throws {
        let subjects = [Subject(.operation("twin")), Subject(.store("twin"))]
        let selection = SubjectSelection(operations: [try pattern("twin")])
        let principal = Principal(.person, name: "ana", assignments: [RoleAssignment("admin", on: selection)])
        let permissions = AccessRules().permissions(of: principal, on: subjects)
        #expect(permissions.allows(.see, on: .operation("twin")))
        #expect(!permissions.allows(.see, on: .store("twin")))
    }

    @Test func `an assignment narrows a role and never widens it`() throws {
        let role = Role(
            "backups", verbs: VerbSet([.see]), selection: SubjectSelection(operations: [try pattern("backup*")]))
        let assignment = RoleAssignment("backups", on: SubjectSelection(operations: [try pattern("d*")]))
        let principal = Principal(.person, name: "ana", assignments: [assignment])
        #expect(!AccessRules(roles: [role]).permissions(of: principal, on: subjects).allowsAnywhere(.see))
    }

    @Test func `grants reach whom they name`() {
        func sees(_ grantee: RoleGrant.Grantee, _ principal: Principal) -> Bool {
            AccessRules(grants: [RoleGrant(RoleAssignment("viewer"), to: [grantee])])
                .permissions(of: principal, on: subjects).allowsEverywhere(.see)
        }
        let ana = Principal(.person, name: "ana", groups: ["ops"])
        #expect(sees(.everyone, .anonymous) && sees(.everyone, ana))
        #expect(sees(.signedIn, ana) && !sees(.signedIn, .anonymous))
        #expect(sees(.user("ana"), ana) && !sees(.user("bob"), ana))
        #expect(sees(.group("ops"), ana) && !sees(.group("dev"), ana))
    }

    @Test func `a person is known by identity and not by name`() {
        let rules = AccessRules(grants: [RoleGrant(RoleAssignment("admin"), to: [.user("ana")])])
        let other = Principal(.person, name: "ana", identity: "https://id.example#77")
        #expect(!rules.permissions(of: other, on: subjects).allowsAnywhere(.see))
    }

    @Test func `a principal that calls itself like a person is not that person`() {
        let rules = AccessRules(grants: [RoleGrant(RoleAssignment("admin"), to: [.user("ana"), .group("ops")])])
        for kind in [Principal.Kind.token, .anonymous, .link] {
            let principal = Principal(kind, name: "ana", groups: ["ops"])
            #expect(!rules.permissions(of: principal, on: subjects).allowsAnywhere(.see))
            #expect(principal.key != Principal(.person, name: "ana").key)
        }
    }

    @Test func `a token's rights are met with its maker's as they are when it is used`() throws {
        let selection = SubjectSelection(operations: [try pattern("backup*")])
        func token(of maker: Principal) -> Principal {
            Principal(
                .token, name: "nightly", assignments: [RoleAssignment("operator", on: selection)], bounds: [maker])
        }
        let admin = Principal(.person, name: "ana", assignments: [RoleAssignment("admin")])
        let viewer = Principal(.person, name: "ana", assignments: [RoleAssignment("viewer")])
        let rules = AccessRules()
        let before = rules.permissions(of: token(of: admin), on: subjects)
        #expect(before.allows(.start, on: .operation("backup-daily")))
        #expect(!before.allows(.start, on: .operation("deploy")))
        let after = rules.permissions(of: token(of: viewer), on: subjects)
        #expect(after.verbs(on: .operation("backup-daily")).verbs == [.see])
        #expect(!after.allows(.see, on: .operation("deploy")))
    }

    @Test func `a link shows one run and nothing else`() {
        let permissions = AccessRules(grants: [RoleGrant(RoleAssignment("admin"), to: [.signedIn])])
            .permissions(of: .link(id: "7", run: "01j"), on: subjects)
        #expect(permissions.allows(.see, onRun: "01j", of: "deploy"))
        #expect(permissions.verbs(on: .run("01j")).verbs == [.see])
        #expect(!permissions.allows(.cancel, onRun: "01j", of: "deploy"))
        #expect(!permissions.allows(.see, onRun: "01k", of: "deploy"))
        #expect(!permissions.allows(.see, on: .operation("deploy")))
        #expect(!permissions.allows(.see, on: .server))
    }

    @Test func `only whoever holds a link sees a run without anything around it`() {
        let rules = AccessRules()
        #expect(rules.permissions(of: .link(id: "7", run: "01j"), on: subjects).isLink)
        for principal in [Principal.localOperator, .anonymous] {
            #expect(!rules.permissions(of: principal, on: subjects).isLink)
        }
    }

    @Test func `whoever may do something to all that there is may not do it to the server as well`() throws {
        let all = SubjectSelection(operations: [try pattern("*")], stores: [try pattern("*")])
        let principal = Principal(.person, name: "ana", assignments: [RoleAssignment("admin", on: all)])
        let permissions = AccessRules().permissions(of: principal, on: subjects)
        #expect(subjects.allSatisfy { permissions.allows(.administer, on: $0.id) })
        #expect(!permissions.allowsEverywhere(.administer))
    }

    @Test func `a built-in role cannot be replaced`() {
        let rules = AccessRules(roles: [Role("viewer", verbs: .all)])
        #expect(rules.roles["viewer"] == .viewer)
    }
}
