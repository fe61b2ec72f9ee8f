/// The identity on whose behalf a request or action is performed.
public struct Principal: Hashable, Sendable {
    /// The kinds of principals.
    public enum Kind: String, Sendable, Codable {
        /// A signed-in person, or one named by a trusted proxy or the app.
        case person
        /// A program with a token.
        case token
        /// The local user when authentication is off, with all permissions.
        case `operator`
        /// The server itself, with all permissions: retention, and runs started by viewers.
        case system
        /// The holder of a link to one run.
        case link
        /// A trigger of an operation, which can only start that operation.
        case hook
        /// An unauthenticated user.
        case anonymous
    }

    /// A demand on a person, who has no rights until it is met.
    package enum Duty: Hashable, Sendable { case changePassword, setUpSecondFactor }

    package let kind: Kind
    package let name: String
    /// The unique identity within the kind.
    ///
    /// For people from an identity provider, the issuer and subject; otherwise the name.
    package let identity: String
    /// The groups, as named by the identity source.
    package let groups: Set<String>
    /// The roles assigned directly rather than through grants in the settings.
    let assignments: [RoleAssignment]
    /// Principals whose permissions limit this one's, such as a token's maker.
    let bounds: [Principal]
    /// For link holders, the only run they can see.
    package let run: String?
    package var duty: Duty?
    package var mustChangePassword: Bool { duty == .changePassword }

    /// Creates a principal.
    ///
    /// - Parameters:
    ///   - kind: The kind.
    ///   - name: The name recorded in runs and the audit.
    ///   - identity: The unique identity; the name if nil.
    ///   - groups: The groups.
    public init(_ kind: Kind, name: String, identity: String? = nil, groups: Set<String> = []) {
        self.init(kind, name: name, identity: identity, groups: groups, assignments: [])
    }

    init(
        _ kind: Kind, name: String, identity: String? = nil, groups: Set<String> = [], assignments: [RoleAssignment],
        bounds: [Principal] = [], run: String? = nil
    ) {
        self.kind = kind
        self.name = name
        self.identity = identity ?? name
        self.groups = groups
        self.assignments = assignments
        self.bounds = bounds
        self.run = run
    }

    /// The local user when authentication is off.
    public static let localOperator = Principal(.operator, name: "operator")
    package static let system = Principal(.system, name: "system")
    /// An unauthenticated user.
    public static let anonymous = Principal(.anonymous, name: "anonymous")

    static func link(id: String, run: String) -> Principal {
        Principal(.link, name: "link \(id)", identity: id, assignments: [], run: run)
    }

    /// The trigger of the operation with the given id.
    package static func hook(_ id: String) -> Principal { Principal(.hook, name: "hook \(id)", identity: id) }

    /// A key that is unique across kinds and identifies the principal's records.
    package var key: String { "\(kind.rawValue):\(identity)" }
}

/// Principals that can decide an approval: holders of a role, members of a group, or one person.
package enum Decider: Hashable, Sendable {
    case role(String)
    case group(String)
    case user(String)

    /// Parses `role:NAME`, `group:NAME` or `user:NAME`; nil for other texts.
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

    func includes(_ principal: Principal, roles: Set<String>) -> Bool {
        switch self {
        case .role(let role): roles.contains(role)
        case .group(let group): principal.kind == .person && principal.groups.contains(group)
        case .user(let identity): principal.kind == .person && principal.identity == identity
        }
    }
}
