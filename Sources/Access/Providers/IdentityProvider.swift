/// Somebody else who says who people are: an identity provider.
package protocol IdentityProvider: Sendable {
    /// Begins a sign-in.
    ///
    /// - Parameter back: Where the browser wants to go afterwards: a path of this server.
    /// - Returns: Where the browser is sent, and the secret that it keeps in a cookie until it comes back.
    /// - Throws: `IdentityProviderError`.
    func begin(back: String) async throws -> (url: String, secret: String)

    /// Ends a sign-in.
    ///
    /// - Parameters:
    ///   - parameters: What the browser brings back in the address.
    ///   - secret: What it kept in the cookie; nil without one.
    /// - Returns: Who it is, and where the browser wanted to go.
    /// - Throws: `IdentityProviderError` for everything that is not as it must be.
    func complete(_ parameters: [String: String], secret: String?) async throws -> (person: StoredPerson, back: String)
}

/// Why an identity provider did not sign somebody in, for the log of the operator.
package struct IdentityProviderError: Error, Hashable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
