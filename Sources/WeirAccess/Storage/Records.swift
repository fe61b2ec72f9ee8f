/// Somebody who signs in with a password.
package struct UserRecord: Hashable, Sendable, Codable {
    package var name: String
    /// The hash of the password, as text.
    package var password: String
    package var roles: [StoredAssignment]
    package var createdAt: Int64
    package var changedAt: Int64

    var principal: Principal { Principal(.person, name: name, assignments: roles.map(\.assignment)) }
}

/// A token of a program.
///
/// The token itself is not kept, only its hash.
package struct TokenRecord: Hashable, Sendable, Codable {
    package var id: String
    package var name: String
    package var hash: String
    /// Who made it; nil for one that was made on the command line of this machine.
    package var maker: StoredPerson?
    package var roles: [StoredAssignment]
    package var createdAt: Int64
    package var expiresAt: Int64?
    /// The day of its last use, as days since 1970.
    package var usedOn: Int64?
}

/// A link to one run.
///
/// The link itself is not kept, only its hash.
package struct LinkRecord: Hashable, Sendable, Codable {
    package var id: String
    package var hash: String
    package var run: String
    package var operation: String
    package var maker: StoredPerson?
    package var createdAt: Int64
    package var expiresAt: Int64
}

/// A browser that is signed in.
///
/// Its cookie's secret is not kept, only its hash.
package struct SessionRecord: Hashable, Sendable, Codable {
    package var hash: String
    package var person: StoredPerson
    package var begunAt: Int64
    package var usedAt: Int64
    /// When it ends whatever the limits say, as its source says; nil for no such moment.
    package var endsAt: Int64?
}

/// A person as a session, a token or a link knows them.
package struct StoredPerson: Hashable, Sendable, Codable {
    package var name: String
    package var identity: String
    /// Whether it is a user of Weir's own, whose roles and end Weir knows.
    package var isUser: Bool
    /// The groups that their source named when it was last asked; none of a user of Weir's own.
    package var groups: [String]

    package init(name: String, identity: String, isUser: Bool, groups: [String]) {
        self.name = name
        self.identity = identity
        self.isUser = isUser
        self.groups = groups
    }
}

/// A role on a part of what there is, as it is stored.
package struct StoredAssignment: Hashable, Sendable, Codable {
    package var role: String
    /// Patterns of operations; nil with the others nil for everything.
    package var operations: [String]?
    package var stores: [String]?
    package var tags: [String]?

    package init(role: String, operations: [String]? = nil, stores: [String]? = nil, tags: [String]? = nil) {
        self.role = role
        self.operations = operations
        self.stores = stores
        self.tags = tags
    }

    /// The role with its part.
    ///
    /// A pattern that cannot be read selects nothing.
    package var assignment: RoleAssignment {
        guard operations != nil || stores != nil || tags != nil else { return RoleAssignment(role) }
        return RoleAssignment(
            role,
            on: SubjectSelection(
                operations: (operations ?? []).compactMap(IDPattern.init),
                stores: (stores ?? []).compactMap(IDPattern.init), tags: Set(tags ?? [])))
    }
}
