/// The roles and the grants of the settings.
public struct AccessRules: Hashable, Sendable {
    /// All roles by name, including the built-in ones.
    package let roles: [String: Role]
    package let grants: [RoleGrant]

    /// Creates rules.
    ///
    /// - Parameters:
    ///   - roles: Roles in addition to the built-in ones, which they cannot replace.
    ///   - grants: The grants of roles.
    public init(roles: [Role] = [], grants: [RoleGrant] = []) {
        let named = Dictionary((Role.builtIn + roles).map { ($0.name, $0) }) { first, _ in first }
        self.roles = named
        self.grants = grants
    }

    /// The permissions of a principal on the given subjects; unknown roles grant nothing.
    func permissions(of principal: Principal, on subjects: some Sequence<Subject>) -> Permissions {
        let subjects = Array(subjects)
        let own = ownPermissions(of: principal, on: subjects)
        // Bounds apply transitively: a token made with a token is also bounded by the first one's maker.
        return principal.bounds.reduce(own) { $0.intersection(permissions(of: $1, on: subjects)) }
    }

    private func ownPermissions(of principal: Principal, on subjects: [Subject]) -> Permissions {
        switch principal.kind {
        case .operator, .system: return Permissions(of: subjects) { _ in .all }
        case .link: return Permissions(run: principal.run)
        case .hook: return Permissions(of: []) { _ in VerbSet() }
        case .person where principal.duty != nil: return .nothing
        case .person, .token, .anonymous: break
        }
        let assignments = assignments(of: principal)
        let given = assignments.compactMap { assignment in
            roles[assignment.role].map { (verbs: $0.verbs, parts: [$0.selection, assignment.selection]) }
        }
        let names = Set(assignments.map(\.role))
        return Permissions(of: subjects) { subject in
            let verbs = given.reduce(into: VerbSet()) { verbs, part in
                if part.parts.allSatisfy({ $0.contains(subject) }) { verbs.formUnion(part.verbs) }
            }
            guard let deciders = subject.deciders, !deciders.contains(where: { $0.includes(principal, roles: names) })
            else { return verbs }
            return verbs.subtracting(.only(.act))
        }
    }

    private func assignments(of principal: Principal) -> [RoleAssignment] {
        principal.assignments + grants.filter { $0.grantees.contains { $0.includes(principal) } }.map(\.assignment)
    }

    /// The names of a principal's roles, also of those that are narrowed.
    func roles(of principal: Principal) -> Set<String> { Set(assignments(of: principal).map(\.role)) }
}

extension AccessRules {
    /// The rules as text by key: `roles.deployer` with the role's verbs, `grants user:ana` with the user's roles.
    ///
    /// Excludes the built-in roles.
    package var summary: [String: String] {
        var summary: [String: String] = [:]
        for role in roles.values where !Role.builtIn.contains(where: { $0.name == role.name }) {
            summary["roles.\(role.name)"] =
                role.verbs.verbs.map(\.rawValue).joined(separator: ", ") + role.selection.words
        }
        var given: [String: [String]] = [:]
        for grant in grants {
            for grantee in Set(grant.grantees.map(\.text)) {
                given["grants \(grantee)", default: []].append(grant.assignment.role + grant.assignment.selection.words)
            }
        }
        return summary.merging(given.mapValues { $0.sorted().joined(separator: ", ") }) { first, _ in first }
    }
}

extension AccessRules {
    /// The roles by name: what each allows, and on what; empty for everything.
    package var listedRoles: [(name: String, verbs: [String], selection: String)] {
        roles.values.sorted { $0.name < $1.name }.map { ($0.name, $0.verbs.verbs.map(\.rawValue), $0.selection.words) }
    }

    /// The grants of the settings: the role with its restrictions, and to whom it is granted.
    package var listedGrants: [(role: String, to: [String])] {
        grants.map { ($0.assignment.role + $0.assignment.selection.words, $0.grantees.map(\.text)) }
    }

    /// The operations, stores and tags that roles and grants name and that none of the subjects has, each in a sentence.
    package func unmatched(among subjects: some Sequence<Subject>) -> [String] {
        let named = roles.values.filter { role in !Role.builtIn.contains { $0.name == role.name } }
            .sorted { $0.name < $1.name }.map { ("The role `\($0.name)`", $0.selection) }
        let given = grants.map { ("A grant of the role `\($0.assignment.role)`", $0.assignment.selection) }
        let subjects = Array(subjects)
        return (named + given).flatMap { place, selection in selection.unmatched(among: subjects, in: place) }
    }
}

extension SubjectSelection {
    /// The operations, stores and tags that it names and that none of the subjects has, each in a sentence.
    func unmatched(among subjects: [Subject], in place: String) -> [String] {
        let operations = operations.filter { pattern in
            !subjects.contains { if case .operation(let id) = $0.id { pattern.matches(id) } else { false } }
        }
        let stores = stores.filter { pattern in
            !subjects.contains { if case .store(let id) = $0.id { pattern.matches(id) } else { false } }
        }
        let tags = tags.subtracting(subjects.flatMap(\.tags)).sorted()
        return operations.map { "\(place) names the operation `\($0)`, and there is none." }
            + stores.map { "\(place) names the store `\($0)`, and there is none." }
            + tags.map { "\(place) names the tag `\($0)`, which nothing has." }
    }

    /// The selection as a suffix for verbs or a role; empty for everything.
    fileprivate var words: String {
        guard !isEverything else { return "" }
        let parts = [
            ("operations", operations.map(\.description)), ("stores", stores.map(\.description)), ("tags", Array(tags)),
        ]
        let named = parts.filter { !$0.1.isEmpty }.map { "\($0.0) \($0.1.sorted().joined(separator: " "))" }
        return " (\(named.isEmpty ? "nothing" : named.joined(separator: "; ")))"
    }
}

extension RoleGrant.Grantee {
    fileprivate var text: String {
        switch self {
        case .everyone: "everyone"
        case .signedIn: "signed-in"
        case .user(let identity): "user:\(identity)"
        case .group(let group): "group:\(group)"
        }
    }
}

/// A role that the settings grant to people and groups.
public struct RoleGrant: Hashable, Sendable {
    /// The recipient of a grant.
    public enum Grantee: Hashable, Sendable {
        /// Everyone, including unauthenticated users.
        case everyone
        /// Every signed-in person.
        case signedIn
        /// One person, by identity: the name, or the issuer and subject of an identity provider.
        case user(String)
        /// The members of a group.
        case group(String)

        /// Parses `everyone`, `signed-in`, `user:NAME` or `group:NAME`; nil for other texts.
        init?(_ text: String) {
            switch text {
            case "everyone": self = .everyone
            case "signed-in": self = .signedIn
            default:
                let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                guard parts.count == 2, let kind = parts.first, let name = parts.last, !name.isEmpty else {
                    return nil
                }
                switch kind {
                case "user": self = .user(String(name))
                case "group": self = .group(String(name))
                default: return nil
                }
            }
        }

        /// Returns whether a principal matches.
        ///
        /// Tokens match only `everyone`; they never inherit their maker's groups.
        func includes(_ principal: Principal) -> Bool {
            switch self {
            case .everyone: true
            case .signedIn: principal.kind == .person
            case .user(let identity): principal.kind == .person && principal.identity == identity
            case .group(let group): principal.kind == .person && principal.groups.contains(group)
            }
        }
    }

    let assignment: RoleAssignment
    let grantees: [Grantee]

    /// Creates a grant of a role.
    ///
    /// - Parameters:
    ///   - role: The name of the role.
    ///   - selection: Narrows the role to these subjects.
    ///   - grantees: The recipients.
    public init(_ role: String, on selection: SubjectSelection = .everything, to grantees: [Grantee]) {
        self.init(RoleAssignment(role, on: selection), to: grantees)
    }

    init(_ assignment: RoleAssignment, to grantees: [Grantee]) {
        self.assignment = assignment
        self.grantees = grantees
    }
}
