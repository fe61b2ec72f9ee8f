package protocol IdentityProvider: Sendable {
    /// Begins a sign-in.
    ///
    /// - Parameter back: The path of this server to return to.
    /// - Returns: The URL to redirect the browser to, and the secret to keep in a cookie until it returns.
    /// - Throws: `IdentityProviderError`.
    func begin(back: String) async throws(IdentityProviderError) -> (url: String, secret: String)

    /// Completes a sign-in.
    ///
    /// - Parameters:
    ///   - parameters: The query parameters of the redirect back.
    ///   - secret: The secret from the cookie; nil without one.
    ///   - address: The browser's address; nil if unknown.
    /// - Returns: The person and the path to return to.
    /// - Throws: `IdentityProviderError` for any failure, and promptly on cancellation.
    func complete(
        _ parameters: [String: String], secret: String?, from address: String?
    ) async throws(IdentityProviderError) -> ProviderSignIn

    /// Verifies a logout token that the provider sent (OpenID Connect Back-Channel Logout 1.0).
    ///
    /// - Throws: `IdentityProviderError` if the token is invalid, or was received before.
    func signOut(token: String) async throws(IdentityProviderError) -> ProviderSignOut

    /// The provider's URL for signing out there as well, or nil if it has none.
    func signOutURL() async -> String?
}

/// A sign-out at the provider: of a person, of one session, or of both together; at least one is set.
package struct ProviderSignOut: Hashable, Sendable {
    let identity: String?
    let session: String?

    package init(identity: String?, session: String?) { (self.identity, self.session) = (identity, session) }
}

package struct ProviderSignIn: Sendable {
    package static let maximumGroups = 1_000

    package let person: StoredPerson
    /// The path of this server to return to, as sent by the browser.
    package let back: String
    /// Whether the provider sent a list of groups, even an empty one.
    package let hasGroups: Bool
    /// The id of the session at the provider (`sid`), or nil if it names none.
    package let session: String?

    package init(person: StoredPerson, back: String, hasGroups: Bool, session: String? = nil) {
        self.person = person
        self.back = back
        self.hasGroups = hasGroups
        self.session = session
    }
}

package struct IdentityProviderError: Error, Hashable, CustomStringConvertible {
    package enum Kind: Hashable, Sendable, CaseIterable {
        case unreachable
        case busy
        /// The issuer differs from the configured one.
        case issuer
        /// The provider rejects the client id or secret.
        case client
        /// The provider rejects the redirect URL.
        case redirect
        case clock
        /// The user or the provider declined.
        case denied
        /// The sign-in is expired, already completed, or another browser's.
        case stale
        /// The provider sent no groups, without which no role applies.
        case groups
        case failed
    }

    package let kind: Kind
    /// Details for the operator's log, without secrets.
    package let description: String

    package init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}
