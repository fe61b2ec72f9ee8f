import WeirAccess
import WeirStates

/// What a provider says about itself: OpenID Connect Discovery 1.0, section 3, as far as it is used here.
struct ProviderMetadata: Hashable, Sendable {
    let authorizationEndpoint: ProviderURL
    let tokenEndpoint: ProviderURL
    let keys: ProviderURL
    let userInfoEndpoint: ProviderURL?
    let endSessionEndpoint: ProviderURL?
    /// How the server shows its secret.
    let clientAuthentication: OpenIDConfiguration.ClientAuthentication
    /// Whether every answer names the issuer (RFC 9207).
    let namesIssuer: Bool

    /// Reads the document, and holds its issuer against the one in the settings.
    ///
    /// - Throws: `IdentityProviderError` that says what is missing or wrong.
    init(_ document: JSONValue, for configuration: OpenIDConfiguration) throws(IdentityProviderError) {
        guard let issuer = document["issuer"]?.string else {
            throw IdentityProviderError(
                .failed, "\(configuration.discoveryURL) is no discovery document: it has no issuer.")
        }
        // Another issuer's document could have been put there, and a slash at the end makes another issuer.
        guard issuer == configuration.issuer else {
            throw IdentityProviderError(
                .issuer,
                "The setting oidc.issuer is \(Quoted(configuration.issuer)), but the provider there calls itself "
                    + "\(Quoted(issuer)). Both must be the same, letter by letter.")
        }
        let isSecure = configuration.issuer.hasPrefix("https:")
        func endpoint(_ name: String) throws(IdentityProviderError) -> ProviderURL? {
            guard let text = document[name]?.string else { return nil }
            guard let url = ProviderURL(text), url.isSecure || !isSecure else {
                throw IdentityProviderError(.failed, "The provider's \(name) is no https URL: \(Quoted(text)).")
            }
            return url
        }
        func required(_ name: String) throws(IdentityProviderError) -> ProviderURL {
            guard let url = try endpoint(name) else {
                throw IdentityProviderError(.failed, "The provider's discovery document has no \(name).")
            }
            return url
        }
        authorizationEndpoint = try required("authorization_endpoint")
        tokenEndpoint = try required("token_endpoint")
        keys = try required("jwks_uri")
        userInfoEndpoint = try endpoint("userinfo_endpoint")
        endSessionEndpoint = try endpoint("end_session_endpoint")
        namesIssuer = document["authorization_response_iss_parameter_supported"]?.bool == true
        let methods = document["token_endpoint_auth_methods_supported"]?.array?.compactMap(\.string)
        let offersBasic = methods?.contains("client_secret_basic") ?? true
        let offersPost = methods?.contains("client_secret_post") ?? false
        clientAuthentication =
            configuration.clientAuthentication ?? (offersBasic || !offersPost ? .basic : .post)
    }
}
