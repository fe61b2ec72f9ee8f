/// Somebody else who says who people are: an identity provider.
package protocol IdentityProvider: Sendable {
    /// Begins a sign-in.
    ///
    /// - Parameter back: Where the browser wants to go afterwards: a path of this server.
    /// - Returns: Where the browser is sent, and the secret that it keeps in a cookie until it comes back.
    /// - Throws: `IdentityProviderError`.
    func begin(back: String) async throws(IdentityProviderError) -> (url: String, secret: String)

    /// Ends a sign-in.
    ///
    /// - Parameters:
    ///   - parameters: What the browser brings back in the address.
    ///   - secret: What it kept in the cookie; nil without one.
    ///   - address: The browser's address; nil if it is not known.
    /// - Returns: Who it is, and where the browser wanted to go.
    /// - Throws: `IdentityProviderError` for everything that is not as it must be; soon after the task is cancelled.
    func complete(
        _ parameters: [String: String], secret: String?, from address: String?
    ) async throws(IdentityProviderError) -> ProviderSignIn

    /// Where somebody who has signed out here signs out of the provider as well; nil if the provider has no such place.
    func signOutURL() async -> String?
}

/// Somebody whom an identity provider has signed in.
package struct ProviderSignIn: Sendable {
    /// More groups of one person are not kept.
    package static let maximumGroups = 1_000

    /// Who it is.
    package let person: StoredPerson
    /// Where the browser wants to go: a path of this server, as the browser sent it.
    package let back: String
    /// Whether the provider named groups at all, were it none.
    package let hasGroups: Bool

    package init(person: StoredPerson, back: String, hasGroups: Bool) {
        self.person = person
        self.back = back
        self.hasGroups = hasGroups
    }
}

/// Why an identity provider did not sign somebody in.
package struct IdentityProviderError: Error, Hashable, CustomStringConvertible {
    /// What whoever signs in is told.
    package enum Kind: Hashable, Sendable, CaseIterable {
        /// The provider cannot be reached, or has a failure of its own.
        case unreachable
        /// Too many sign-ins wait for the provider.
        case busy
        /// The provider is not the one in the settings.
        case issuer
        /// The provider does not accept this server's name or secret.
        case client
        /// The provider does not know where this server is.
        case redirect
        /// The clocks differ.
        case clock
        /// Whoever signs in declined, or the provider did.
        case denied
        /// The sign-in is too old, used up, or another browser's.
        case stale
        /// The provider named no groups, and without one there is no role.
        case groups
        /// Anything else.
        case failed
    }

    /// What whoever signs in is told.
    package let kind: Kind
    /// What happened, for the log of the operator; without secrets.
    package let description: String

    package init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}
