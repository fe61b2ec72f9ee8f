/// Who asks: a person, a token, the local operator, the server itself, the holder of a link, or nobody known.
public struct Principal: Hashable, Sendable {
    /// What kind of principal it is.
    public enum Kind: String, Sendable, Codable {
        /// Somebody who signed in, or whom a trusted proxy or the app names.
        case person
        /// A program with a token of its own.
        case token
        /// Whoever is at this machine while nobody is asked to sign in.
        ///
        /// May do everything.
        case `operator`
        /// The server itself: retention, runs that begin because somebody watches.
        ///
        /// May do everything.
        case system
        /// Whoever holds a link to one run.
        case link
        /// A trigger of an operation: whoever knows its secret, and only to start that operation.
        case hook
        /// Somebody of whom nothing is known.
        case anonymous
    }

    /// What kind of principal it is.
    package let kind: Kind
    /// The name that runs, the log and the audit record.
    package let name: String
    /// What makes it the same principal: never shared by two.
    ///
    /// Of a person who signed in through an identity provider the issuer and subject, otherwise the name.
    package let identity: String
    /// The groups it belongs to, as its source names them.
    package let groups: Set<String>
    /// The roles that were given to it directly, not through a grant in the settings.
    package let assignments: [RoleAssignment]
    /// Its rights are never more than those of each of these: a token's maker, for example.
    package let bounds: [Principal]
    /// The only run that it may see, when it came by a link.
    package let run: String?

    /// Makes a principal.
    ///
    /// - Parameters:
    ///   - kind: What kind it is.
    ///   - name: What runs and the audit record.
    ///   - identity: What makes it the same principal; its name, if nil.
    ///   - groups: The groups it belongs to.
    public init(_ kind: Kind, name: String, identity: String? = nil, groups: Set<String> = []) {
        self.init(kind, name: name, identity: identity, groups: groups, assignments: [])
    }

    package init(
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

    /// Whoever is at this machine while nobody is asked to sign in.
    public static let localOperator = Principal(.operator, name: "operator")
    /// The server itself.
    package static let system = Principal(.system, name: "system")
    /// Somebody of whom nothing is known.
    public static let anonymous = Principal(.anonymous, name: "anonymous")

    /// The holder of a link to one run.
    package static func link(id: String, run: String) -> Principal {
        Principal(.link, name: "link \(id)", identity: id, assignments: [], run: run)
    }

    /// A trigger of an operation, by its id.
    package static func hook(_ id: String) -> Principal { Principal(.hook, name: "hook \(id)", identity: id) }

    /// A text that no other principal has, whatever its kind: the key of all that belongs to a principal.
    package var key: String { "\(kind.rawValue):\(identity)" }
}
