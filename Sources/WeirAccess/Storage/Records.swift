package import Foundation
import WeirJournals

package struct UserRecord: Hashable, Sendable, Codable {
    package var name: String
    var password: String
    package var roles: [StoredAssignment]
    package var createdAt: Int64
    var changedAt: Int64

    var principal: Principal {
        Principal(
            .person, name: ReservedName.person(name), identity: name, assignments: roles.map(\.assignment))
    }
}

extension UserRecord {
    /// A text that changes with the password and the roles.
    var edition: String { "\(createdAt) \(changedAt) \(roles.words)" }
}

/// A local user's link and demanded change of the password.
///
/// A record of its own, because earlier versions drop unknown members when they write a user record.
struct AccountRecord: Hashable, Sendable, Codable {
    var name: String
    var link: PasswordLink?
    /// The `changedAt` of the password that must be changed; without effect after another change of the password.
    var changeDemandedAt: Int64?
    /// The `changedAt` of an invited user who has no password; without effect after the first password.
    var invitedAt: Int64?

    init(name: String, link: PasswordLink? = nil, changeDemandedAt: Int64? = nil, invitedAt: Int64? = nil) {
        (self.name, self.link, self.changeDemandedAt, self.invitedAt) = (name, link, changeDemandedAt, invitedAt)
    }

    /// The change that stores the account; an account without anything is removed.
    var change: StoredChange {
        get throws {
            self == AccountRecord(name: name) ? .remove(kind: .account, id: name) : try .put(self)
        }
    }
}

/// A link that sets the password of one user once; only its hash is stored.
struct PasswordLink: Hashable, Sendable, Codable {
    var hash: String
    /// The user's edition when the link was made; the link is void for any other.
    var edition: String
    var expiresAt: Int64

    /// The longest validity, in milliseconds: an end that is later was set by a clock that was wrong.
    static let longest = Int64(AccessDirectory.passwordLinkHours.upperBound) * 3_600_000

    func isValid(for user: UserRecord, now: Int64) -> Bool {
        now < expiresAt && expiresAt &- now <= Self.longest && edition == user.edition
    }
}

/// A credential with an end.
protocol ExpiringRecord {
    var createdAt: Int64 { get }
    var end: Int64? { get }
}

extension ExpiringRecord {
    /// Whether the end is in the future; false if the beginning is as far in the future, because the clock was wrong then.
    func isValid(now: Int64) -> Bool {
        end.map { now < $0 && createdAt &- now <= $0 &- createdAt } ?? true
    }
}

/// A token of a program; only its hash is stored.
package struct TokenRecord: Hashable, Sendable, Codable {
    package var id: String
    package var name: String
    var hash: String
    /// The person that created it; nil for the command line.
    package var maker: StoredPerson?
    package var roles: [StoredAssignment]
    package var createdAt: Int64
    package var expiresAt: Int64?
    /// The day of its last use, in days since 1970.
    package var usedOn: Int64?
}

extension TokenRecord: ExpiringRecord {
    var end: Int64? { expiresAt }
}

/// A link to one run; only its hash is stored.
package struct LinkRecord: Hashable, Sendable, Codable {
    package var id: String
    var hash: String
    package var run: String
    package var operation: String
    package var maker: StoredPerson?
    package var createdAt: Int64
    package var expiresAt: Int64
}

extension LinkRecord: ExpiringRecord {
    var end: Int64? { expiresAt }
}

/// A browser session; only the hash of its secret is stored.
package struct SessionRecord: Hashable, Sendable, Codable {
    package var hash: String
    package var person: StoredPerson
    package var begunAt: Int64
    package var usedAt: Int64
    /// The absolute end set by the identity source; nil for none.
    var endsAt: Int64?
    /// The address of the browser at the sign-in, or nil if unknown.
    package var address: String?
    /// The id of the session at the identity provider (`sid`), or nil if it names none.
    var providerSession: String?

    /// A short id for lists; it does not reveal the secret.
    package var id: String { String(hash.prefix(16)) }
}

/// A person from an identity provider or a proxy, as last named by it.
struct PersonRecord: Hashable, Sendable, Codable {
    var person: StoredPerson
    /// The time at which the source last named the person and the groups, in milliseconds since 1970.
    var namedAt: Int64

}

/// The key of a person's records: a local user and a person of an identity source can have equal identities.
struct PersonKey: Hashable, Sendable, CustomStringConvertible {
    let isUser: Bool
    let identity: String

    init(isUser: Bool, identity: String) { (self.isUser, self.identity) = (isUser, identity) }

    /// The key with its kind, as the audit shows it: `user:ana` or `person:ana`.
    var description: String { "\(isUser ? "user" : "person"):\(identity)" }

    /// A short id for lists and URLs, because an identity can contain any characters.
    var id: String {
        // No identity of a source contains a line feed.
        String(SecretText.hash(of: isUser ? "user\n\(identity)" : identity).prefix(16))
    }
}

package struct StoredPerson: Hashable, Sendable, Codable {
    package var name: String
    package var identity: String
    /// Whether this is a local user, whose roles and removal are managed here.
    var isUser: Bool
    /// The groups last named by the identity source; empty for local users.
    package var groups: [String]

    package init(name: String, identity: String, isUser: Bool, groups: [String]) {
        self.name = name
        self.identity = identity
        self.isUser = isUser
        self.groups = groups
    }

    var key: PersonKey { PersonKey(isUser: isUser, identity: identity) }
}

package struct StoredAssignment: Hashable, Sendable, Codable {
    package var role: String
    /// Id patterns of operations; if all three selections are nil, the role is not narrowed.
    package var operations: [String]?
    package var stores: [String]?
    package var tags: [String]?

    package init(role: String, operations: [String]? = nil, stores: [String]? = nil, tags: [String]? = nil) {
        self.role = role
        self.operations = operations
        self.stores = stores
        self.tags = tags
    }

    /// The decoded assignment; invalid patterns select nothing.
    var assignment: RoleAssignment {
        guard operations != nil || stores != nil || tags != nil else { return RoleAssignment(role) }
        return RoleAssignment(
            role,
            on: SubjectSelection(
                operations: (operations ?? []).compactMap(IDPattern.init),
                stores: (stores ?? []).compactMap(IDPattern.init), tags: Set(tags ?? [])))
    }
}

extension StoredAssignment {
    /// The role with its restrictions, as the audit and lists show it: `operator (operations backup*; tags db)`.
    package var words: String {
        let lists = [("operations", operations), ("stores", stores), ("tags", tags)]
        // What selects nothing is only said if nothing else is selected, because the selections add up.
        let selecting = lists.filter { $0.1?.isEmpty == false }
        let parts = (selecting.isEmpty ? lists : selecting).compactMap { name, list in
            list.map { "\(name) \($0.isEmpty ? "none" : $0.joined(separator: " "))" }
        }
        return parts.isEmpty ? role : "\(role) (\(parts.joined(separator: "; ")))"
    }
}

extension [StoredAssignment] {
    package var words: String { isEmpty ? "none" : map(\.words).joined(separator: ", ") }
}

extension TokenRecord {
    /// The name of the token's principal, which states its kind and its maker.
    var principalName: String { ReservedName.token(name, by: maker?.name) }

    /// The token's purpose, maker, roles and expiry, for the audit.
    var summary: String {
        let end = expiresAt.map { "expires at \(Timestamp(milliseconds: $0))" } ?? "never expires"
        return "“\(name)” \(maker.words); roles: \(roles.words); \(end)"
    }
}

extension StoredPerson? {
    /// The maker of a token or link, for the audit.
    var words: String { self.map { "by \($0.identity)" } ?? "by the command line" }
}

enum StoredKind: String, Sendable {
    case user, token, link, session, setting
    /// A person from an identity provider or a proxy, by identity.
    case person
    /// The saved views of a person's run list, by ``PersonKey``, or by principal key for principals of other kinds.
    case views
    /// The presets of forms that a person saved, under the same keys.
    case presets
    /// The ``AccountRecord`` of a local user, by name.
    case account
    /// The ``SecondFactorRecord`` of a local user, by name.
    case secondFactor = "second-factor"
    /// An audit entry left by a command for the server, which alone writes the audit.
    case audit
}

package struct StoredKey: Hashable, Sendable {
    package let kind: String
    package let id: String

    package init(kind: String, id: String) { (self.kind, self.id) = (kind, id) }
}

package struct StoredRecord: Hashable, Sendable {
    let key: StoredKey
    package let json: Data

    var kind: String { key.kind }
    var id: String { key.id }

    package init(_ key: StoredKey, json: Data) { (self.key, self.json) = (key, json) }

    package init(kind: String, id: String, json: Data) { self.init(StoredKey(kind: kind, id: id), json: json) }
}

package enum StoredChange: Sendable {
    /// Inserts or replaces the record.
    case put(StoredRecord)
    /// Replaces the record if it exists.
    case update(StoredRecord)
    case remove(StoredKey)

    package var key: StoredKey {
        switch self {
        case .put(let record), .update(let record): record.key
        case .remove(let key): key
        }
    }

    /// The new record, or nil for a removal.
    package var record: StoredRecord? {
        switch self {
        case .put(let record), .update(let record): record
        case .remove: nil
        }
    }

    /// Whether the change has no effect if the record does not exist.
    package var isUpdate: Bool {
        if case .update = self { true } else { false }
    }

    static func remove(kind: StoredKind, id: String) -> StoredChange {
        .remove(StoredKey(kind: kind.rawValue, id: id))
    }

    static func put(_ user: UserRecord) throws -> StoredChange { try put(.user, user.name, user) }
    static func put(_ account: AccountRecord) throws -> StoredChange { try put(.account, account.name, account) }
    static func put(_ factor: SecondFactorRecord) throws -> StoredChange { try put(.secondFactor, factor.name, factor) }
    static func put(_ token: TokenRecord) throws -> StoredChange { try put(.token, token.id, token) }
    static func put(_ link: LinkRecord) throws -> StoredChange { try put(.link, link.id, link) }
    static func put(_ session: SessionRecord) throws -> StoredChange { try put(.session, session.hash, session) }
    static func put(_ person: PersonRecord) throws -> StoredChange { try put(.person, person.person.identity, person) }

    static func put(_ kind: StoredKind, _ id: String, _ value: some Encodable) throws -> StoredChange {
        .put(try record(kind, id, value))
    }

    static func update(_ user: UserRecord) throws -> StoredChange { .update(try record(.user, user.name, user)) }
    static func update(_ token: TokenRecord) throws -> StoredChange { .update(try record(.token, token.id, token)) }
    static func update(_ session: SessionRecord) throws -> StoredChange {
        .update(try record(.session, session.hash, session))
    }

    private static func record(_ kind: StoredKind, _ id: String, _ value: some Encodable) throws -> StoredRecord {
        StoredRecord(kind: kind.rawValue, id: id, json: try JSONEncoder().encode(value))
    }
}
