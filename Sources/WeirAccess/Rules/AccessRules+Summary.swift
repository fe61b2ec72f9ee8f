extension AccessRules {
    /// The rules in words, by key: `roles.deployer` with the verbs of the role, `grants user:ana` with the roles of the user.
    ///
    /// The built-in roles are left out.
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

extension SubjectSelection {
    /// The selection in words, to follow verbs or a role; empty for everything.
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
    /// The grantee as the settings write it.
    fileprivate var text: String {
        switch self {
        case .everyone: "everyone"
        case .signedIn: "signed-in"
        case .user(let identity): "user:\(identity)"
        case .group(let group): "group:\(group)"
        }
    }
}
