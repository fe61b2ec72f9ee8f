/// A principal with what it may do at this moment: what a request, a held poll and a download carry with them.
package struct Authorization: Sendable {
    /// Who asks.
    package let principal: Principal
    /// Everybody who may do the same.
    package let audience: Audience
    /// By what the principal was known, so that it can be looked up again.
    package let credential: Credential
    /// The generation of the access control that gave it.
    package let generation: UInt64

    /// What the principal may do.
    package var permissions: Permissions { audience.permissions }

    /// Whether somebody is asked who they are before they are let in further.
    package var isAnonymous: Bool { principal.kind == .anonymous }

    package init(_ principal: Principal, audience: Audience, credential: Credential, generation: UInt64) {
        self.principal = principal
        self.audience = audience
        self.credential = credential
        self.generation = generation
    }
}

/// By what a principal is known.
package enum Credential: Hashable, Sendable {
    /// By each request anew: a proxy's header, the app's own sign-in, or nothing.
    ///
    /// Weir holds nothing that could be revoked.
    case request
    /// By a session, of which this is the hash of the id.
    case session(String)
    /// By a token of that id.
    case token(String)
    /// By a link to a run, of that id.
    case link(String)
}
