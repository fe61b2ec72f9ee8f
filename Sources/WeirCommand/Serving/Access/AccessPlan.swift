import Foundation
import WeirAccess
import WeirStates

struct AccessPlan: Sendable {
    let configuration: AccessConfiguration
    let rules: AccessRules
    /// The registration at an OpenID provider, or nil unless `auth` is `oidc`.
    let provider: OpenIDConfiguration?

    /// Validates the settings in combination; throws `StartError` with status 78 and every reason if something is unsafe or
    /// missing.
    init(_ settings: Settings) throws(StartError) {
        let host = settings.text("host") ?? "127.0.0.1"
        let isLoopback = host == "localhost" || NetworkAddress(host)?.isLoopback == true
        let written = settings.text("auth")
        let proxies = settings.list("trusted-proxies").compactMap { NetworkRange($0) }
        let url = settings.text("public-url").flatMap { URL(string: $0) }
        var faults = Faults()
        faults.attempt { () throws(StartError) in try Self.checkCertificate(settings) }
        let hasCertificate = settings.text("tls.cert") != nil
        let provider = faults.attempt { () throws(StartError) in try OpenIDPlan(settings).configuration } ?? nil
        let mode =
            faults.attempt { () throws(StartError) in
                try Self.mode(settings, written: written, isLoopback: isLoopback, proxies: proxies, provider: provider)
            } ?? .password
        let isSecure = hasCertificate || url?.scheme == "https"
        if ["password", "oidc"].contains(written) {
            faults.attempt { () throws(StartError) in
                try Self.requireEncryption(
                    settings, written, isPrivate: isLoopback || hasCertificate || (isSecure && !proxies.isEmpty))
            }
        }
        if ["proxy", "oidc"].contains(written) {
            faults.attempt { () throws(StartError) in try Self.requireGrants(settings, written) }
        }
        let rules = settings.rules ?? AccessRules()
        faults.attempt { () throws(StartError) in try Self.requireRoles(settings, written, rules) }
        try faults.check()
        var configuration = AccessConfiguration(mode)
        configuration.secondFactorRoles = Set(settings.list("users.second-factor"))
        configuration.trustedProxies = proxies
        configuration.isSecure = isSecure
        configuration.publicURL = settings.text("public-url").map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
        configuration.hasCertificate = hasCertificate
        configuration.sessions.idle = Int64(settings.integer("session.idle-hours") ?? 12) * 3_600_000
        configuration.sessions.maximum = Int64(settings.integer("session.days") ?? 7) * 86_400_000
        configuration.lease = settings.lease
        if provider != nil {
            // Sessions end when the provider's claims expire.
            configuration.sessions.maximum = min(
                configuration.sessions.maximum, Int64(settings.integer("oidc.session-hours") ?? 12) * 3_600_000)
        }
        self.configuration = configuration
        self.provider = provider
        self.rules = rules
    }

    /// Throws if a second factor is required for an unknown role, or for users that this server does not have.
    private static func requireRoles(_ settings: Settings, _ mode: String?, _ rules: AccessRules) throws(StartError) {
        let required = settings.list("users.second-factor")
        guard !required.isEmpty else { return }
        guard mode == "password" else {
            throw .misconfigured(
                "users.second-factor is set, but auth is not password. Require a second factor at the provider or the proxy."
            )
        }
        for role in required where rules.roles[role] == nil {
            throw .misconfigured(
                "users.second-factor names the role `\(role)`, and there is none. The roles are "
                    + "\(rules.roles.keys.sorted().joined(separator: ", ")).")
        }
    }

    private static func requireEncryption(
        _ settings: Settings, _ mode: String?, isPrivate: Bool
    ) throws(StartError) {
        guard !isPrivate else { return }
        throw .misconfigured(
            "With auth: \(mode ?? "") people would sign in over \(settings.text("host") ?? "") unencrypted. Give the server a "
                + "certificate (tls-cert, tls-key), or put a proxy with one before it and set public-url to its https address "
                + "and trusted-proxies to where it is.")
    }

    private static func mode(
        _ settings: Settings, written: String?, isLoopback: Bool, proxies: [NetworkRange],
        provider: OpenIDConfiguration?
    ) throws(StartError) -> AccessConfiguration.Mode {
        let header = settings.text("actor-header")
        if header != nil, written != "proxy" {
            throw .misconfigured(
                "actor-header is set, but auth is not proxy. Write auth: proxy, and trusted-proxies with the addresses of the "
                    + "proxies whose header is believed.")
        }
        if let provider { return .oidc(prefix: provider.identityPrefix) }
        switch written {
        case "proxy":
            guard let header, !proxies.isEmpty else {
                throw .misconfigured(
                    "auth: proxy needs actor-header, the header in which the proxy names the person, and trusted-proxies, the "
                        + "addresses or networks of the proxies that are believed.")
            }
            return .proxy(user: header.lowercased(), groups: settings.text("groups-header")?.lowercased())
        case "password", "oidc": return .password
        case "none": return .none(allowsForwarded: true)
        default:
            guard isLoopback else {
                throw .misconfigured(
                    "The server would listen on \(settings.text("host") ?? "") and let everybody who reaches it do everything. "
                        + "Set auth to proxy, password or oidc; or write auth: none if that is what you want.")
            }
            return .none(allowsForwarded: false)
        }
    }

    private static func requireGrants(_ settings: Settings, _ mode: String?) throws(StartError) {
        guard settings.rules?.grants.isEmpty != false else { return }
        throw .misconfigured(
            "With auth: \(mode ?? "") no user has a role until weir.yml gives one. For all signed-in users to see everything, "
                + "write grants: [{role: viewer, to: signed-in}]; Documentation/access.md has more.")
    }

    private static func checkCertificate(_ settings: Settings) throws(StartError) {
        let (cert, key) = (settings.text("tls.cert"), settings.text("tls.key"))
        guard (cert == nil) == (key == nil) else {
            throw .misconfigured("tls-cert and tls-key belong together; set both, or neither.")
        }
        var faults = Faults()
        for path in [cert, key].compactMap({ $0 }) where !FileManager.default.isReadableFile(atPath: path) {
            faults.add(
                .misconfigured("The file \(path) cannot be read. Name the certificate and its key as PEM files."))
        }
        try faults.check()
    }
}

/// The reasons for which settings cannot be used together, collected so that all are reported at once.
private struct Faults {
    private var errors: [StartError] = []

    mutating func add(_ error: StartError) { errors.append(error) }

    /// Runs a step, and returns its result, or nil after adding its error.
    @discardableResult
    mutating func attempt<Value>(_ step: () throws(StartError) -> Value) -> Value? {
        do throws(StartError) {
            return try step()
        } catch {
            add(error)
            return nil
        }
    }

    /// Throws one error with a line for each reason.
    func check() throws(StartError) {
        guard !errors.isEmpty else { return }
        throw .misconfigured(errors.map(\.description).joined(separator: "\n"))
    }
}

struct OpenIDPlan: Sendable {
    /// The maximum length of a client secret.
    private static let maximumSecret = 4_096
    /// The maximum size of a file in bytes; it may contain all root certificates of a system.
    private static let maximumFile = 16 << 20

    let configuration: OpenIDConfiguration?

    /// Validates the settings in combination; throws `StartError` with status 78 if something is unsafe or missing.
    init(_ settings: Settings) throws(StartError) {
        guard settings.text("auth") == "oidc" else {
            guard settings.text("oidc.issuer") == nil else {
                throw .misconfigured("oidc.issuer is set, but auth is not oidc. Write auth: oidc, or leave oidc out.")
            }
            configuration = nil
            return
        }
        var faults = Faults()
        let issuer = faults.attempt { () throws(StartError) in try Self.issuer(settings) }
        let secret = faults.attempt { () throws(StartError) in try Self.secret(settings) }
        let publicURL = faults.attempt { () throws(StartError) in try Self.publicURL(settings) }
        let roots = faults.attempt { () throws(StartError) in try Self.roots(settings) }
        try faults.check()
        guard let issuer, let secret, let publicURL, let roots else {
            configuration = nil
            return
        }
        var configuration = OpenIDConfiguration(
            issuer: issuer.url, clientID: issuer.client, clientSecret: secret, publicURL: publicURL)
        configuration.clientAuthentication = settings.text("oidc.client-authentication")
            .flatMap(OpenIDConfiguration.ClientAuthentication.init)
        configuration.scopes = settings.list("oidc.scopes")
        if let claim = settings.text("oidc.name-claim") { configuration.nameClaim = ClaimPath(claim) }
        if let claim = settings.text("oidc.groups-claim") { configuration.groupsClaim = ClaimPath(claim) }
        configuration.roots = roots
        self.configuration = configuration
    }

    private static func issuer(_ settings: Settings) throws(StartError) -> (url: ProviderURL, client: String) {
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
        return (url, client)
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

extension Settings {
    /// How long tokens and links outlive the last sign-in of their maker at the provider, in milliseconds.
    var lease: Int64 {
        Int64(max(integer("oidc.lease-hours") ?? 24, integer("oidc.session-hours") ?? 12)) * 3_600_000
    }
}
