/// Somebody who may take a decision: whoever has a role, belongs to a group, or is a certain person.
package enum Decider: Hashable, Sendable {
    /// Whoever has the role, wherever it is given.
    case role(String)
    /// The people of a group.
    case group(String)
    /// One person, by identity.
    case user(String)

    /// Reads `role:NAME`, `group:NAME` or `user:NAME`; nil for anything else.
    package init?(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let kind = parts.first, let name = parts.last.map(String.init), !name.isEmpty else {
            return nil
        }
        switch kind {
        case "role": self = .role(name)
        case "group": self = .group(name)
        case "user": self = .user(name)
        default: return nil
        }
    }

    /// Whether a principal with those roles is meant.
    func includes(_ principal: Principal, roles: Set<String>) -> Bool {
        switch self {
        case .role(let role): roles.contains(role)
        case .group(let group): principal.kind == .person && principal.groups.contains(group)
        case .user(let identity): principal.kind == .person && principal.identity == identity
        }
    }
}
