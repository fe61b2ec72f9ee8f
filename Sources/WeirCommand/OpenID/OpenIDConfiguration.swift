/// How this server is known to an OpenID provider, and which claims it reads about a person.
package struct OpenIDConfiguration: Sendable {
    /// How the server shows its secret at the token endpoint.
    package enum ClientAuthentication: String, Sendable {
        /// In the `Authorization` field: `client_secret_basic`.
        case basic
        /// In the form: `client_secret_post`.
        case post
    }

    /// The secret that this server and the provider share.
    ///
    /// Its description is not the secret, so that no log shows it.
    package struct ClientSecret: Sendable, CustomStringConvertible {
        let text: String
        package var description: String { "•••" }

        package init(_ text: String) { self.text = text }
    }

    /// The provider's issuer identifier, exactly as the provider writes it.
    package let issuer: String
    /// The name of this server at the provider.
    package let clientID: String
    let clientSecret: ClientSecret
    /// Where the provider sends browsers back to; registered there letter by letter.
    package let redirectURI: String
    /// Where the provider sends browsers after a sign-out.
    package let signedOutURI: String
    /// How the secret is shown; nil for what the provider offers.
    package var clientAuthentication: ClientAuthentication?
    /// What is asked for besides `openid`.
    package var scopes: [String] = ["profile"]
    /// The claim with the name that people see.
    package var nameClaim = ClaimPath("name")
    /// The claim with the groups.
    package var groupsClaim = ClaimPath("groups")
    /// The roots that the provider's certificate may have besides those that this machine trusts.
    package var roots: TrustedRoots?
    /// By how many milliseconds the clocks may differ.
    package var leeway: Int64 = 60_000

    /// Describes this server to the provider.
    ///
    /// - Parameters:
    ///   - issuer: The issuer identifier of the provider; discovery begins there.
    ///   - clientID: The name of this server there.
    ///   - clientSecret: The secret that belongs to it.
    ///   - publicURL: How browsers reach this server, with or without a slash at the end.
    package init(issuer: ProviderURL, clientID: String, clientSecret: ClientSecret, publicURL: String) {
        self.issuer = issuer.text
        self.clientID = clientID
        self.clientSecret = clientSecret
        let base = publicURL.hasSuffix("/") ? String(publicURL.dropLast()) : publicURL
        redirectURI = base + "/sign-in/return"
        signedOutURI = base + "/sign-in"
    }

    /// What makes all identities of this issuer and no others: the subject follows.
    ///
    /// An issuer has no fragment, so that the first `#` ends it.
    package var identityPrefix: String { issuer + "#" }

    /// Where the provider describes itself.
    var discoveryURL: String {
        (issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer) + "/.well-known/openid-configuration"
    }
}
