import HTTPTypes
import WeirAccess

enum AccountRoute: Hashable, Sendable {
    case signIn
    /// The code of the second factor, after the password.
    case signInCode
    /// The redirect to the identity provider, and the return from it.
    case providerStart, providerReturn
    /// The provider's request to end sessions (OpenID Connect Back-Channel Logout 1.0).
    case providerSignOut
    case signOut
    case setUp
    case account, accountPassword, accountSecondFactor
    case users
    case userRoles(String), userPassword(String), userRemoval(String)
    /// Adds a user without a password, makes a link to set a password, or ends it.
    case userInvitation, userLink(String), userLinkRevocation(String)
    /// Requires that a user changes the password, or withdraws this.
    case userPasswordChange(String)
    /// Removes the second factor of a user.
    case userSecondFactor(String)
    /// The page on which a link sets a password.
    case passwordLink(String)
    /// Ends the sessions, tokens and links of a person, by short id.
    case userEnding(String)
    case sessions, sessionEnding(String)
    case allLinks, linkRevocation(String)
    case tokens
    case tokenRevocation(String)
    case audit, auditExport
    case link(String)
    case runLinks(String), runLinkRevocation(run: String, link: String)
    /// The routes of the API.
    case apiAccount, apiAccountPassword
    case apiUsers
    case apiUser(String), apiUserRoles(String), apiUserPassword(String)
    case apiGrants
    case apiUserInvitation(String), apiUserLink(String), apiUserPasswordChange(String)
    case apiUserSecondFactor(String)
    case apiTokens
    case apiToken(String)
    case apiAudit
    case apiPeople, apiPerson(String)
    case apiSessions, apiSession(String)
    case apiLinks, apiLink(String)
    case apiRunLinks(String), apiRunLink(run: String, link: String)

    init?(_ segments: [String]) {
        let path = segments.prefix(2) == ["api", "v1"] ? Array(segments.dropFirst(2)) : segments
        let isAPI = path.count < segments.count
        switch (isAPI, path.count, path.first ?? "", path.last ?? "") {
        case (false, 1, "sign-in", _): self = .signIn
        case (false, 2, "sign-in", "code"): self = .signInCode
        case (false, 2, "sign-in", "provider"): self = .providerStart
        case (false, 2, "sign-in", "return"): self = .providerReturn
        case (false, 2, "sign-in", "back-channel-logout"): self = .providerSignOut
        case (false, 1, "sign-out", _): self = .signOut
        case (false, 1, "setup", _): self = .setUp
        case (false, 1, "account", _): self = .account
        case (false, 2, "account", "password"): self = .accountPassword
        case (false, 2, "account", "second-factor"): self = .accountSecondFactor
        case (false, 2, "password", let link): self = .passwordLink(link)
        case (false, 1, "users", _): self = .users
        case (false, 2, "users", "invitation"): self = .userInvitation
        case (false, 3, "users", "password-link"): self = .userLink(path[1])
        case (false, 4, "users", "revocation") where path[2] == "password-link": self = .userLinkRevocation(path[1])
        case (false, 4, "users", "removal") where path[2] == "second-factor": self = .userSecondFactor(path[1])
        case (false, 3, "users", "password-change"): self = .userPasswordChange(path[1])
        case (false, 3, "users", "roles"): self = .userRoles(path[1])
        case (false, 3, "users", "password"): self = .userPassword(path[1])
        case (false, 3, "users", "removal"): self = .userRemoval(path[1])
        case (false, 3, "users", "ending"): self = .userEnding(path[1])
        case (false, 1, "sessions", _): self = .sessions
        case (false, 3, "sessions", "ending"): self = .sessionEnding(path[1])
        case (false, 1, "links", _): self = .allLinks
        case (false, 3, "links", "revocation"): self = .linkRevocation(path[1])
        case (false, 1, "tokens", _): self = .tokens
        case (false, 3, "tokens", "revocation"): self = .tokenRevocation(path[1])
        case (false, 1, "audit", _): self = .audit
        case (false, 2, "audit", "export"): self = .auditExport
        case (false, 2, "links", let link): self = .link(link)
        case (false, 3, "runs", "links"): self = .runLinks(path[1])
        case (false, 5, "runs", "revocation") where path[2] == "links":
            self = .runLinkRevocation(run: path[1], link: path[3])
        case (true, 1, "account", _): self = .apiAccount
        case (true, 2, "account", "password"): self = .apiAccountPassword
        case (true, 1, "grants", _): self = .apiGrants
        case (true, 1, "users", _): self = .apiUsers
        case (true, 2, "users", let name): self = .apiUser(name)
        case (true, 3, "users", "roles"): self = .apiUserRoles(path[1])
        case (true, 3, "users", "password"): self = .apiUserPassword(path[1])
        case (true, 3, "users", "invitation"): self = .apiUserInvitation(path[1])
        case (true, 3, "users", "password-link"): self = .apiUserLink(path[1])
        case (true, 3, "users", "password-change"): self = .apiUserPasswordChange(path[1])
        case (true, 3, "users", "second-factor"): self = .apiUserSecondFactor(path[1])
        case (true, 1, "tokens", _): self = .apiTokens
        case (true, 2, "tokens", let id): self = .apiToken(id)
        case (true, 1, "audit", _): self = .apiAudit
        case (true, 1, "people", _): self = .apiPeople
        case (true, 2, "people", let id): self = .apiPerson(id)
        case (true, 1, "sessions", _): self = .apiSessions
        case (true, 2, "sessions", let id): self = .apiSession(id)
        case (true, 1, "links", _): self = .apiLinks
        case (true, 2, "links", let id): self = .apiLink(id)
        case (true, 3, "runs", "links"): self = .apiRunLinks(path[1])
        case (true, 4, "runs", let id) where path[2] == "links": self = .apiRunLink(run: path[1], link: id)
        default: return nil
        }
    }

    var methods: [HTTPRequest.Method] {
        switch self {
        case .signIn, .setUp, .users, .tokens, .apiUsers, .apiTokens, .runLinks, .apiRunLinks, .accountPassword,
            .accountSecondFactor, .signInCode, .passwordLink:
            [.get, .head, .post]
        case .providerStart, .providerReturn, .account, .audit, .auditExport, .apiAccount, .apiAudit, .link, .sessions,
            .allLinks, .apiPeople, .apiSessions, .apiLinks, .apiGrants:
            [.get, .head]
        case .signOut, .userRoles, .userPassword, .userRemoval, .tokenRevocation, .runLinkRevocation,
            .providerSignOut, .userInvitation, .userLink, .userLinkRevocation, .userPasswordChange, .userSecondFactor,
            .userEnding, .sessionEnding, .linkRevocation, .apiUserInvitation:
            [.post]
        case .apiUserLink: [.post, .delete]
        case .apiUser, .apiUserSecondFactor, .apiToken, .apiRunLink, .apiPerson, .apiSession, .apiLink: [.delete]
        case .apiAccountPassword, .apiUserPassword, .apiUserPasswordChange: [.put]
        case .apiUserRoles: [.put, .post]
        }
    }

    /// Whether errors are sent as problem documents.
    var isForPrograms: Bool {
        switch self {
        case .apiAccount, .apiAccountPassword, .apiUsers, .apiUser, .apiUserRoles, .apiUserPassword, .apiTokens,
            .apiToken, .apiAudit, .apiRunLinks, .apiRunLink, .apiPeople, .apiPerson, .apiSessions, .apiSession,
            .apiLinks, .apiLink,
            .apiUserInvitation, .apiUserLink, .apiUserPasswordChange, .apiUserSecondFactor, .apiGrants,
            .providerSignOut:
            true
        case .signIn, .signInCode, .providerStart, .providerReturn, .signOut, .setUp, .account, .accountPassword,
            .accountSecondFactor, .users, .userRoles, .userSecondFactor, .userPassword, .userInvitation, .userLink,
            .userLinkRevocation, .userPasswordChange, .passwordLink,
            .userRemoval, .tokens, .tokenRevocation, .audit, .auditExport, .link, .runLinks, .runLinkRevocation,
            .userEnding,
            .sessions, .sessionEnding, .allLinks, .linkRevocation:
            false
        }
    }

    /// Whether a person who must do something first reaches it.
    func serves(_ duty: Principal.Duty) -> Bool {
        switch self {
        case .accountPassword, .apiAccountPassword: duty == .changePassword
        case .accountSecondFactor: duty == .setUpSecondFactor
        case .passwordLink, .signIn, .signInCode, .signOut: true
        default: false
        }
    }

    /// The right that a request requires; no default, so that each new route decides explicitly.
    var requirement: Requirement {
        switch self {
        case .signIn, .signInCode, .providerStart, .providerReturn, .signOut, .setUp: .nothing
        // The link itself is the credential.
        case .link, .passwordLink: .nothing
        // The right to export a run includes the right to share it as a link.
        case .runLinks(let run), .runLinkRevocation(let run, link: _), .apiRunLinks(let run),
            .apiRunLink(let run, link: _):
            .run(.export, run)
        // Concerns only the sender's own account.
        case .account, .accountPassword, .accountSecondFactor, .apiAccount, .apiAccountPassword: .nothing
        // The token in the body proves that the provider sent it.
        case .providerSignOut: .nothing
        case .users, .userRoles, .userPassword, .userRemoval, .userEnding, .apiUsers, .apiUser, .apiUserRoles,
            .apiUserPassword, .apiPeople, .apiPerson, .userInvitation, .userLink, .userLinkRevocation,
            .userPasswordChange, .userSecondFactor, .apiUserSecondFactor, .apiUserInvitation, .apiUserLink,
            .apiUserPasswordChange, .apiGrants:
            .everything(.administer)
        // The responder limits senders who are not administrators to their own sessions and links.
        case .sessions, .sessionEnding, .allLinks, .linkRevocation, .apiSessions, .apiSession, .apiLinks, .apiLink:
            .anything(.see)
        case .tokens, .tokenRevocation, .apiTokens, .apiToken: .anything(.see)
        case .audit, .auditExport, .apiAudit: .everything(.administer)
        }
    }
}
