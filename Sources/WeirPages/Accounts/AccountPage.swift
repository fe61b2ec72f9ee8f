package import WeirAccess
package import WeirJournals
package import WeirStates

/// A page about who one is and who there is: signing in, the first user, oneself, users, tokens, links and the audit.
package enum AccountPage: Sendable {
    case signIn(SignInForm)
    case setUp(SetUpForm)
    case account(AccountFacts)
    case users(UserList)
    case tokens(TokenList)
    case links(LinkList)
    case audit(AuditList)
}

/// The form to sign in.
package struct SignInForm: Sendable {
    /// What is wrong with an attempt.
    package enum Mistake: Sendable, Hashable {
        case wrong, busy, plain
        /// The identity provider did not sign somebody in, for that reason.
        case provider(IdentityProviderError.Kind)
        /// Too many attempts: try again after so many seconds.
        case tooMany(Int64)
    }

    /// What was typed as the name.
    package var name = ""
    /// Where to go afterwards: a path of this server.
    package var back = ""
    package var mistake: Mistake?
    package var takesPassword = true
    /// Whether there is an identity provider.
    package var hasProvider = false
    /// Whether somebody has just signed out.
    package var isSignedOut = false
    /// Where they sign out of the identity provider as well.
    package var signOutURL: String?
    /// The name of whoever is signed in and may not see what was asked for.
    package var refused: String?

    package init() {}
}

/// The form for the first user.
package struct SetUpForm: Sendable {
    package var name = ""
    package var error: Message?
    package init() {}
}

/// Who asks.
package struct AccountFacts: Sendable {
    package var name: String
    /// One of person, token, operator, system, link, anonymous.
    package var kind: String
    package var groups: [String] = []
    package var verbs: [String] = []
    package var canSignIn = false
    /// The pages about access that they may see: `tokens`, `users`, `audit`.
    package var links: [String] = []

    package init(name: String, kind: String) {
        self.name = name
        self.kind = kind
    }
}

/// The users, and the form for another one.
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
    package var name = ""
    package var error: Message?

    package init(rows: [Row], roles: [String]) {
        self.rows = rows
        self.roles = roles
    }
}

/// The tokens, and the form for another one.
package struct TokenList: Sendable {
    package struct Row: Sendable {
        package var id: String
        package var name: String
        package var roles: String
        /// Who made it; nil for the command line.
        package var maker: String?
        package var expires: Timestamp?
        /// The day of the last use.
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
    /// The token that was just made, shown once.
    package var secret: String?
    package var name = ""
    package var operations = ""
    package var error: Message?

    package init(rows: [Row], roles: [String]) {
        self.rows = rows
        self.roles = roles
    }
}

/// The links to a run, and the form for another one.
package struct LinkList: Sendable {
    package struct Row: Sendable {
        package var id: String
        /// Who made it; nil for the command line.
        package var maker: String?
        package var created: Timestamp
        package var expires: Timestamp
        /// Whether the reader may revoke it.
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
    /// The link that was just made, shown once.
    package var address: String?
    package var error: Message?

    package init(run: String, rows: [Row]) {
        self.run = run
        self.rows = rows
    }
}

/// Entries of the audit, and its filters.
package struct AuditList: Sendable {
    package struct Row: Sendable {
        package var number: Int64
        package var at: Timestamp
        package var name: String
        package var action: String
        package var subject: String
        /// One of done, refused, failed.
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
    /// Before which number to look on; nil when there is nothing older.
    package var older: Int64?
    package var head: String

    package init(rows: [Row], actions: [String], outcomes: [String], head: String) {
        self.rows = rows
        self.actions = actions
        self.outcomes = outcomes
        self.head = head
    }
}
