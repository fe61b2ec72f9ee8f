package import WeirJournals

/// A person on the page of users, with the numbers of credentials that act in their name.
package struct PersonRow: Sendable {
    package var id: String
    package var name: String
    package var identity: String
    package var groups: String
    package var seen: Timestamp?
    /// The end of the lease of tokens and links; nil for local users.
    package var leaseEnd: Timestamp?
    package var sessions: Int
    package var tokens: Int
    package var links: Int

    package init(
        id: String, name: String, identity: String, groups: String, seen: Timestamp?, leaseEnd: Timestamp?,
        sessions: Int,
        tokens: Int, links: Int
    ) {
        self.id = id
        self.name = name
        self.identity = identity
        self.groups = groups
        self.seen = seen
        self.leaseEnd = leaseEnd
        self.sessions = sessions
        self.tokens = tokens
        self.links = links
    }
}

/// Signed-in browsers: the viewer's own, or everyone's for an administrator.
package struct SessionList: Sendable {
    package struct Row: Sendable {
        package var id: String
        package var name: String
        package var address: String
        package var begun: Timestamp
        package var used: Timestamp
        /// Whether the page is shown in this session.
        package var isThis: Bool

        package init(id: String, name: String, address: String, begun: Timestamp, used: Timestamp, isThis: Bool) {
            self.id = id
            self.name = name
            self.address = address
            self.begun = begun
            self.used = used
            self.isThis = isThis
        }
    }

    package var rows: [Row]

    package init(rows: [Row]) { self.rows = rows }
}

/// Links to all runs: the viewer's own, or everyone's for an administrator.
package struct AllLinkList: Sendable {
    package struct Row: Sendable {
        package var id: String
        package var run: String
        package var operation: String
        /// The creator's name, or nil if created on the command line.
        package var maker: String?
        package var expires: Timestamp

        package init(id: String, run: String, operation: String, maker: String?, expires: Timestamp) {
            self.id = id
            self.run = run
            self.operation = operation
            self.maker = maker
            self.expires = expires
        }
    }

    package var rows: [Row]

    package init(rows: [Row]) { self.rows = rows }
}
