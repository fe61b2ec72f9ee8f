/// A role that the settings give to people and groups.
public struct RoleGrant: Hashable, Sendable {
    /// To whom a role is given.
    public enum Grantee: Hashable, Sendable {
        /// To everybody, also without signing in.
        case everyone
        /// To every person who is signed in.
        case signedIn
        /// To one person, by identity: the name, or issuer and subject of an identity provider.
        case user(String)
        /// To the people of a group.
        case group(String)

        /// Reads `everyone`, `signed-in`, `user:NAME` or `group:NAME`; nil for anything else.
        package init?(_ text: String) {
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

        /// Whether a principal is meant.
        ///
        /// A token has its own roles and what everyone has, never its maker's groups.
        func includes(_ principal: Principal) -> Bool {
            switch self {
            case .everyone: true
            case .signedIn: principal.kind == .person
            case .user(let identity): principal.kind == .person && principal.identity == identity
            case .group(let group): principal.kind == .person && principal.groups.contains(group)
            }
        }
    }

    /// Which role, on what.
    package let assignment: RoleAssignment
    /// To whom.
    package let grantees: [Grantee]

    /// Gives a role to somebody.
    ///
    /// - Parameters:
    ///   - role: The name of the role.
    ///   - selection: The part of what the role is about for which it is given.
    ///   - grantees: To whom it is given.
    public init(_ role: String, on selection: SubjectSelection = .everything, to grantees: [Grantee]) {
        self.init(RoleAssignment(role, on: selection), to: grantees)
    }

    package init(_ assignment: RoleAssignment, to grantees: [Grantee]) {
        self.assignment = assignment
        self.grantees = grantees
    }
}
