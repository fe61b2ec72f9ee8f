package import WeirAccess
package import WeirJournals
package import WeirStates

package enum AccountPage: Sendable {
    case signIn(SignInForm)
    case signInCode(SignInCodeForm)
    case setUp(SetUpForm)
    case account(AccountFacts)
    case newPassword(NewPasswordForm)
    case secondFactor(SecondFactorForm)
    case users(UserList)
    case tokens(TokenList)
    case links(LinkList)
    case sessions([SessionRow])
    case allLinks([AllLinkRow])
    case audit(AuditList)
}

package struct SignInForm: Sendable {
    /// Why an attempt to sign in failed.
    package enum Mistake: Sendable, Hashable {
        case wrong, busy, plain
        /// The code came too long after the password, or in another browser.
        case expired
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

/// The form for the code of a second factor, after the password.
package struct SignInCodeForm: Sendable {
    /// The path on this server to return to after signing in.
    package var back = ""
    package var mistake: SignInForm.Mistake?
    package init() {}
}

/// A user's own second factor: what sets one up, or its state.
package struct SecondFactorForm: Sendable {
    /// A secret to confirm with a code: in groups of letters, as a URI for apps, and signed for the form.
    package typealias Offer = (secret: String, uri: String, sealed: String)

    package var offer: Offer?
    /// When the second factor in force was set up; nil without one.
    package var since: Timestamp?
    /// The number of unused recovery codes.
    package var left = 0
    /// New recovery codes, shown once.
    package var codes: [String] = []
    /// Whether it must be set up before anything else.
    package var isDemanded = false
    /// The path on this server to return to.
    package var back = ""
    package var error: Message?
    package init() {}

    /// A form with every part, to check templates with.
    static func sample(_ at: Timestamp) -> SecondFactorForm {
        var form = SecondFactorForm()
        (form.error, form.offer, form.since, form.codes) = (Message(verbatim: "x"), ("x", "x", "x"), at, ["x"])
        return form
    }
}

package struct SetUpForm: Sendable {
    package var name = ""
    package var error: Message?
    package init() {}
}

/// The form for a new password: of a signed-in user, or of the holder of a link.
package struct NewPasswordForm: Sendable {
    var name: String
    var action: String
    /// Whether the current password is asked for; false for a link.
    package var asksCurrent = true
    /// Whether the password must be changed before anything else.
    package var isDemanded = false
    /// The path on this server to return to.
    package var back = ""
    package var error: Message?

    package init(name: String, action: String) { (self.name, self.action) = (name, action) }
}

package struct AccountFacts: Sendable {
    var name: String
    /// `person`, `token`, `operator`, `system`, `link` or `anonymous`.
    var kind: String
    package var groups: [String] = []
    package var verbs: [String] = []
    package var canSignIn = false
    /// Whether the requester can change a password of their own.
    package var hasPassword = false
    package var hasSecondFactor = false
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
    /// `linkEnd` is the end of the link to set the password; nil without one.
    package typealias Row = (
        name: String, roles: [Role], created: Timestamp, mustChange: Bool, hasSecondFactor: Bool,
        linkEnd: Timestamp?
    )
    /// `words` is the role with its restrictions.
    package typealias Role = (
        words: String, role: String, isNarrowed: Bool, operations: String, stores: String, tags: String
    )
    /// `mail` is the address that the link was mailed to, and `fault` the reason if it was not taken.
    package typealias Link = (name: String, url: String, expires: Timestamp, mail: String?, fault: String?)

    var rows: [Row]
    var roles: [String]
    /// Everyone whom the server knows, with what acts in their name.
    package var people: [PersonRow] = []
    /// Whether users sign in with passwords that are managed here.
    package var hasPasswords = true
    /// The link to set a password that was just made; shown once.
    package var link: Link?
    package var sendsMail = false
    /// What each role allows.
    package var known: [(role: String, may: String)] = []
    /// The grants of the settings.
    package var grants: [(role: String, to: String)] = []
    package var name = ""
    package var error: Message?

    package init(rows: [Row], roles: [String]) {
        self.rows = rows
        self.roles = roles
    }
}

package struct TokenList: Sendable {
    /// `maker` is the creator's name, or nil if created on the command line.
    package typealias Row = (
        id: String, name: String, roles: String, maker: String?, expires: Timestamp?, used: String?
    )

    var rows: [Row]
    var roles: [String]
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
    /// `maker` is the creator's name, or nil if created on the command line.
    package typealias Row = (id: String, maker: String?, created: Timestamp, expires: Timestamp, mayRevoke: Bool)

    var run: String
    var rows: [Row]
    /// The address of a link just created; shown once.
    package var address: String?
    package var error: Message?

    package init(run: String, rows: [Row]) {
        self.run = run
        self.rows = rows
    }
}

package struct AuditList: Sendable {
    /// `outcome` is `done`, `refused` or `failed`.
    package typealias Row = (
        number: Int64, at: Timestamp, name: String, action: String, subject: String, outcome: String, count: Int64,
        address: String, detail: String
    )

    var rows: [Row]
    var actions: [String]
    var outcomes: [String]
    package var principal = ""
    package var action = ""
    package var outcome = ""
    package var subject = ""
    /// The number before which the page of older entries starts, or nil if there are none.
    package var older: Int64?
    /// The server whose audit this is, or nil if there is only one.
    package var server: String?
    var head: String

    package init(rows: [Row], actions: [String], outcomes: [String], head: String) {
        self.rows = rows
        self.actions = actions
        self.outcomes = outcomes
        self.head = head
    }
}

/// A person on the page of users, with the numbers of credentials that act in their name.
///
/// `leaseEnd` is the end of the lease of tokens and links; nil for local users.
package typealias PersonRow = (
    id: String, name: String, identity: String, groups: String, seen: Timestamp?, leaseEnd: Timestamp?, sessions: Int,
    tokens: Int, links: Int
)

/// A signed-in browser: one of the viewer's own, or of everyone's for an administrator; `isThis` if it shows the page.
package typealias SessionRow = (
    id: String, name: String, address: String, begun: Timestamp, used: Timestamp, isThis: Bool
)

/// A link to a run: one of the viewer's own, or of everyone's for an administrator.
///
/// `maker` is the creator's name, or nil if created on the command line.
package typealias AllLinkRow = (id: String, run: String, operation: String, maker: String?, expires: Timestamp)
