import Foundation
import WeirAccess

/// How people are known by the settings, or why the server cannot start that way.
struct AccessPlan: Sendable {
    /// How people are known.
    let configuration: AccessConfiguration
    /// Who may do what.
    let rules: AccessRules
    /// How this server is known to an OpenID provider; nil where none is asked.
    let provider: OpenIDConfiguration?

    /// Holds the settings against each other.
    ///
    /// - Throws: `StartError` with what is not safe or missing, status 78.
    init(_ settings: Settings) throws(StartError) {
        let host = settings.text("host") ?? "127.0.0.1"
        let isLoopback = host == "localhost" || NetworkAddress(host)?.isLoopback == true
        let written = settings.text("auth")
        let proxies = settings.list("trusted-proxies").compactMap { NetworkRange($0) }
        let url = settings.text("public-url").flatMap { URL(string: $0) }
        try Self.checkCertificate(settings)
        let hasCertificate = settings.text("tls.cert") != nil
        provider = try OpenIDPlan(settings).configuration
        let mode = try Self.mode(
            settings, written: written, isLoopback: isLoopback, proxies: proxies, provider: provider)
        let isSecure = hasCertificate || url?.scheme == "https"
        if AccessConfiguration(mode).hasSignIn, !isLoopback, !hasCertificate {
            guard isSecure, !proxies.isEmpty else {
                throw .misconfigured(
                    "With auth: \(written ?? "") people would sign in over \(host) unencrypted. Give the server a certificate "
                        + "(tls-cert, tls-key), or put a proxy with one before it and set public-url to its https address and "
                        + "trusted-proxies to where it is.")
            }
        }
        var configuration = AccessConfiguration(mode)
        configuration.trustedProxies = proxies
        configuration.isSecure = isSecure
        configuration.publicURL = settings.text("public-url").map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
        configuration.hasCertificate = hasCertificate
        configuration.sessions.idle = Int64(settings.integer("session.idle-hours") ?? 12) * 3_600_000
        configuration.sessions.maximum = Int64(settings.integer("session.days") ?? 7) * 86_400_000
        if provider != nil {
            // What the provider said of somebody is good for so long.
            configuration.sessions.maximum = min(
                configuration.sessions.maximum, Int64(settings.integer("oidc.session-hours") ?? 12) * 3_600_000)
        }
        self.configuration = configuration
        rules = settings.rules ?? AccessRules()
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
        if let provider {
            try requireGrants(settings, written)
            return .oidc(prefix: provider.identityPrefix)
        }
        switch written {
        case "proxy":
            guard let header, !proxies.isEmpty else {
                throw .misconfigured(
                    "auth: proxy needs actor-header, the header in which the proxy names the person, and trusted-proxies, the "
                        + "addresses or networks of the proxies that are believed.")
            }
            try requireGrants(settings, written)
            return .proxy(user: header.lowercased(), groups: settings.text("groups-header")?.lowercased())
        case "password": return .password
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
            "With auth: \(mode ?? "") nobody has a role until weir.yml gives one. For everybody who signs in to see everything, "
                + "write grants: [{role: viewer, to: signed-in}]; Documentation/access.md has more.")
    }

    private static func checkCertificate(_ settings: Settings) throws(StartError) {
        let (cert, key) = (settings.text("tls.cert"), settings.text("tls.key"))
        guard (cert == nil) == (key == nil) else {
            throw .misconfigured("tls-cert and tls-key belong together; set both, or neither.")
        }
        for path in [cert, key].compactMap({ $0 }) where !FileManager.default.isReadableFile(atPath: path) {
            throw .misconfigured("The file \(path) cannot be read. Name the certificate and its key as PEM files.")
        }
    }
}
