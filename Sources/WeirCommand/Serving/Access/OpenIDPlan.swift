import Foundation
import WeirStates

/// How this server is known to an OpenID provider by the settings, or what is missing for that.
struct OpenIDPlan: Sendable {
    /// No client secret is longer.
    private static let maximumSecret = 4_096
    /// The most bytes of a file, which can hold the roots that a whole system trusts.
    private static let maximumFile = 16 << 20

    /// What the provider and this server know of each other; nil unless `auth` is `oidc`.
    let configuration: OpenIDConfiguration?

    /// Holds the settings against each other.
    ///
    /// - Throws: `StartError` with what is missing or not safe, status 78.
    init(_ settings: Settings) throws(StartError) {
        guard settings.text("auth") == "oidc" else {
            guard settings.text("oidc.issuer") == nil else {
                throw .misconfigured("oidc.issuer is set, but auth is not oidc. Write auth: oidc, or leave oidc out.")
            }
            configuration = nil
            return
        }
        guard let issuer = settings.text("oidc.issuer"), let client = settings.text("oidc.client-id") else {
            throw .misconfigured(
                "auth: oidc needs oidc.issuer, the issuer of the OpenID provider, and oidc.client-id, the name of this server "
                    + "there. Documentation/access.md shows all of it.")
        }
        guard let url = ProviderURL(issuer), !issuer.contains("?") else {
            throw .misconfigured(
                "oidc.issuer is \(Quoted(issuer)); it must be an https URL without user, query and fragment. Only a provider on "
                    + "this machine can have an http URL.")
        }
        var configuration = OpenIDConfiguration(
            issuer: url, clientID: client, clientSecret: try Self.secret(settings),
            publicURL: try Self.publicURL(settings))
        configuration.clientAuthentication = settings.text("oidc.client-authentication")
            .flatMap(OpenIDConfiguration.ClientAuthentication.init)
        configuration.scopes = settings.list("oidc.scopes")
        if let claim = settings.text("oidc.name-claim") { configuration.nameClaim = ClaimPath(claim) }
        if let claim = settings.text("oidc.groups-claim") { configuration.groupsClaim = ClaimPath(claim) }
        configuration.roots = try Self.roots(settings)
        self.configuration = configuration
    }

    private static func roots(_ settings: Settings) throws(StartError) -> TrustedRoots? {
        guard let path = settings.text("oidc.ca-file") else { return nil }
        guard let data = try? RegularFile.bytes(of: path, limit: maximumFile) else {
            throw .misconfigured(
                "The file \(path) of oidc.ca-file cannot be read. Name the root certificate of the OpenID provider as a PEM file."
            )
        }
        guard let roots = TrustedRoots(pem: data) else {
            throw .misconfigured(
                "The file \(path) of oidc.ca-file is no certificate in PEM, which begins with -----BEGIN CERTIFICATE-----."
            )
        }
        return roots
    }

    /// The address by which browsers come back from the provider.
    private static func publicURL(_ settings: Settings) throws(StartError) -> String {
        guard let text = settings.text("public-url") else {
            throw .misconfigured(
                "auth: oidc needs public-url, the URL by which browsers reach this server: the provider sends them back to "
                    + "its /sign-in/return.")
        }
        guard ProviderURL(text) != nil, !text.contains("?") else {
            throw .misconfigured(
                "public-url is \(Quoted(text)); with auth: oidc it must be an https URL without user, query and fragment. Only "
                    + "on this machine can it be an http URL.")
        }
        return text
    }

    private static func secret(_ settings: Settings) throws(StartError) -> OpenIDConfiguration.ClientSecret {
        let text: String
        if let path = settings.text("oidc.client-secret-file") {
            guard let data = try? RegularFile.bytes(of: path, limit: maximumFile) else {
                throw .misconfigured(
                    "The file \(path) of oidc.client-secret-file cannot be read. Name a file, and no pipe, that this user can read."
                )
            }
            text = String(decoding: data.prefix(maximumSecret + 2), as: UTF8.self)
        } else if let secret = settings.clientSecret {
            text = secret
        } else {
            throw .misconfigured(
                "auth: oidc needs the client secret: write it into a file and name the file in oidc.client-secret-file, or "
                    + "set the variable \(Setting.clientSecretVariable).")
        }
        let secret = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard (1...maximumSecret).contains(secret.utf8.count), secret.utf8.allSatisfy({ (0x20...0x7e).contains($0) })
        else {
            throw .misconfigured(
                "The client secret must be one line of 1 to \(maximumSecret) visible ASCII characters, and nothing else."
            )
        }
        return OpenIDConfiguration.ClientSecret(secret)
    }
}
