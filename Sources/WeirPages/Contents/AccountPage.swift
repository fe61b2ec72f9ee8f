package import WeirAccess
package import WeirJournals
package import WeirStates

/// A page of accounts and access.
package enum AccountPage: Sendable {
    case signIn(SignInForm)
    case setUp(SetUpForm)
    case account(AccountFacts)
    case users(UserList)
    case tokens(TokenList)
    case links(LinkList)
    case sessions(SessionList)
    case allLinks(AllLinkList)
    case audit(AuditList)
}

package struct SignInForm: Sendable {
    /// Why an attempt to sign in failed.
    package enum Mistake: Sendable, Hashable {
        case wrong, busy, plain
        /// The identity provider did not sign the user in.
        case provider(IdentityProviderError.Kind)
        /// Too many attempts; the next is accepted after this number of seconds.
        case tooMany(Int64)
    }

    package var name = ""
    /// The path on this server to return to after signing in.
    package var back = ""
    package var mistake: Mistake?
    package var takesPassword = true
    package var hasProvider = false
    package var isSignedOut = false
    /// The URL that also ends the session at the identity provider.
    package var signOutURL: String?
    /// The name of a signed-in user who lacks the right to see the requested page.
    package var refused: String?

    package init() {}
}

package struct SetUpForm: Sendable {
    package var name = ""
    package var error: Message?
    package init() {}
}

package struct AccountFacts: Sendable {
    package var name: String
    /// `person`, `token`, `operator`, `system`, `link` or `anonymous`.
    package var kind: String
    package var groups: [String] = []
    package var verbs: [String] = []
    package var canSignIn = false
    /// Whether the requester can change a password of their own.
    package var hasPassword = false
    /// Why the password was not changed.
    package var error: Message?
    /// The access pages that the requester may open: `tokens`, `users`, `audit`.
    package var links: [String] = []

    package init(name: String, kind: String) {
        self.name = name
        self.kind = kind
    }
}

package struct UserList: Sendable {
    package struct Row: Sendable {
        package var name: String
        package var roles: String
        package var role: String
        package var created: Timestamp

        package init(name: String, roles: String, role: String, created: Timestamp) {
            self.name = name
            self.roles = roles
            self.role = role
            self.created = created
        }
    }

    package var rows: [Row]
    package var roles: [String]
    /// Everyone whom the server knows, with what acts in their name.
    package var people: [PersonRow] = []
    /// Whether users sign in with passwords that are managed here.
    package var hasPasswords = true
    package var name = ""
    package var error: Message?

    package init(rows: [Row], roles: [String]) {
        self.rows = rows
        self.roles = roles
    }
}

package struct TokenList: Sendable {
    package struct Row: Sendable {
        package var id: String
        package var name: String
        package var roles: String
        /// The creator's name, or nil if created on the command line.
        package var maker: String?
        package var expires: Timestamp?
        package var used: String?

        package init(id: String, name: String, roles: String, maker: String?, expires: Timestamp?, used: String?) {
            self.id = id
            self.name = name
            self.roles = roles
            self.maker = maker
            self.expires = expires
            self.used = used
        }
    }

    package var rows: [Row]
    package var roles: [String]
    /// The secret of a token just created; shown once.
    package var secret: String?
    package var name = ""
    package var operations = ""
    package var error: Message?

    package init(rows: [Row], roles: [String]) {
        self.rows = rows
        self.roles = roles
    }
}

package struct LinkList: Sendable {
    package struct Row: Sendable {
        package var id: String
        /// The creator's name, or nil if created on the command line.
        package var maker: String?
        package var created: Timestamp
        package var expires: Timestamp
        package var mayRevoke: Bool

        package init(id: String, maker: String?, created: Timestamp, expires: Timestamp, mayRevoke: Bool) {
            self.id = id
            self.maker = maker
            self.created = created
            self.expires = expires
            self.mayRevoke = mayRevoke
        }
    }

    package var run: String
    package var rows: [Row]
    /// The address of a link just created; shown once.
    package var address: String?
    package var error: Message?

    package init(run: String, rows: [Row]) {
        self.run = run
        self.rows = rows
    }
}

package struct AuditList: Sendable {
    package struct Row: Sendable {
        package var number: Int64
        package var at: Timestamp
        package var name: String
        package var action: String
        package var subject: String
        /// `done`, `refused` or `failed`.
        package var outcome: String
        package var count: Int64
        package var address: String
        package var detail: String

        package init(
            number: Int64, at: Timestamp, name: String, action: String, subject: String, outcome: String, count: Int64,
            address: String, detail: String
        ) {
            self.number = number
            self.at = at
            self.name = name
            self.action = action
            self.subject = subject
            self.outcome = outcome
            self.count = count
            self.address = address
            self.detail = detail
        }
    }

    package var rows: [Row]
    package var actions: [String]
    package var outcomes: [String]
    package var principal = ""
    package var action = ""
    package var outcome = ""
    package var subject = ""
    /// The number before which the page of older entries starts, or nil if there are none.
    package var older: Int64?
    /// The server whose audit this is, or nil if there is only one.
    package var server: String?
    package var head: String

    package init(rows: [Row], actions: [String], outcomes: [String], head: String) {
        self.rows = rows
        self.actions = actions
        self.outcomes = outcomes
        self.head = head
    }
}
