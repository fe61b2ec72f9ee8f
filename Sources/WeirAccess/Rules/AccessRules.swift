/// Who may do what to what: the roles there are, and to whom the settings give them.
public struct AccessRules: Hashable, Sendable {
    /// Every role by name, the built-in ones included.
    package let roles: [String: Role]
    /// What the settings give to people and groups.
    package let grants: [RoleGrant]

    /// Makes rules.
    ///
    /// - Parameters:
    ///   - roles: Roles besides the built-in ones, which they cannot replace.
    ///   - grants: To whom roles are given.
    public init(roles: [Role] = [], grants: [RoleGrant] = []) {
        let named = Dictionary((Role.builtIn + roles).map { ($0.name, $0) }) { first, _ in first }
        self.roles = named
        self.grants = grants
    }

    /// What a principal may do to each of the subjects there are.
    ///
    /// A role that there is not gives nothing.
    package func permissions(of principal: Principal, on subjects: some Sequence<Subject>) -> Permissions {
        let subjects = Array(subjects)
        let own = ownPermissions(of: principal, on: subjects)
        // Of everybody who bounds the principal, the bounds count too: a token made with a token has the first one's maker.
        return principal.bounds.reduce(own) { $0.intersection(permissions(of: $1, on: subjects)) }
    }

    private func ownPermissions(of principal: Principal, on subjects: [Subject]) -> Permissions {
        switch principal.kind {
        case .operator, .system: return Permissions(of: subjects) { _ in .all }
        case .link: return Permissions(run: principal.run)
        case .hook: return Permissions(of: []) { _ in VerbSet() }
        case .person, .token, .anonymous: break
        }
        let granted = grants.filter { $0.grantees.contains { $0.includes(principal) } }.map(\.assignment)
        let given = (principal.assignments + granted).compactMap { assignment in
            roles[assignment.role].map { (verbs: $0.verbs, parts: [$0.selection, assignment.selection]) }
        }
        let names = Set((principal.assignments + granted).map(\.role))
        return Permissions(of: subjects) { subject in
            let verbs = given.reduce(into: VerbSet()) { verbs, part in
                if part.parts.allSatisfy({ $0.contains(subject) }) { verbs.formUnion(part.verbs) }
            }
            guard let deciders = subject.deciders, !deciders.contains(where: { $0.includes(principal, roles: names) })
            else { return verbs }
            return verbs.subtracting(.only(.act))
        }
    }
}
