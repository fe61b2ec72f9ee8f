@testable import WeirAccess

@testable import WeirWeb

/// Takes whoever a request names in `X-Test` for that one, by rules that a test can change.
final class KnownNames: Authenticator {
    /// What the rules give to whom: Vera sees, Otto runs, Ada does everything; `steps` and `bell` alone for the first two.
    static let rules: AccessRules = {
        let some = SubjectSelection(
            operations: ["steps", "printer", "keep"].compactMap { IDPattern($0) },
            stores: ["bell"].compactMap { IDPattern($0) })
        return AccessRules(grants: [
            RoleGrant(RoleAssignment("viewer", on: some), to: [.user("vera"), .user("victor")]),
            RoleGrant(RoleAssignment("operator", on: some), to: [.user("otto")]),
            RoleGrant(RoleAssignment("admin"), to: [.user("ada")]),
            RoleGrant(RoleAssignment("viewer"), to: [.user("walt")]),
        ])
    }()

    let control: AccessControl
    /// The run that the holder of the link sees.
    let run = Shared<String>("")
    /// Whoever is signed out.
    let gone = Shared<Set<String>>([])

    init(_ rules: AccessRules = KnownNames.rules) {
        control = AccessControl(rules: rules)
        control.look(up: { [gone] credential in
            guard case .token(let name) = credential, !gone.value.contains(name) else { return nil }
            return Principal(.person, name: name)
        })
    }

    var access: DashboardAccess<DashboardContext> { .authenticated(by: self, control: control) }

    /// Takes somebody's rights away.
    func signOut(_ name: String) {
        gone.value.insert(name)
        control.invalidate()
    }

    func authenticate(_ request: AccessRequest) -> Authentication {
        let names = request.values("x-test")
        guard let name = names.first else { return .authorized(control.authorize(.anonymous)) }
        if name == "link" { return .authorized(control.authorize(.link(id: "l", run: run.value))) }
        guard !gone.value.contains(name) else { return .refused(.invalidToken) }
        return .authorized(control.authorize(Principal(.person, name: name), credential: .token(name)))
    }
}
