extension Setting {
    /// The environment variable with the client secret of `auth: oidc`.
    ///
    /// It is not a setting, because a command line shows its flags to every process of the machine.
    static let clientSecretVariable = prefix + "OIDC_CLIENT_SECRET"

    /// The variables that can contain secrets and that nothing reads later from the process's environment.
    static let secretVariables = [clientSecretVariable, prefix + "JOURNAL", prefix + "TOKEN"]

    static let access: [Setting] = [
        Setting(
            key: "auth", kind: .word(["none", "proxy", "password", "oidc"]), standard: nil,
            help:
                "How users are identified: not at all, by a proxy, by password, or by an OpenID provider. Without it they are not "
                + "identified, and the server serves only its own machine."),
        Setting(
            key: "actor-header", kind: .text, standard: nil,
            help: "With `auth: proxy`, the request header in which the proxy names the user."),
        Setting(
            key: "groups-header", kind: .text, standard: nil,
            help: "With `auth: proxy`, the request header in which the proxy names the user's groups."),
        Setting(
            key: "trusted-proxies", kind: .networks, standard: nil,
            help: "The addresses and networks of trusted proxies, such as 127.0.0.1 or 10.0.0.0/8."),
        Setting(
            key: "public-url", kind: .url, standard: nil,
            help: "The URL by which browsers reach this server through a proxy, such as https://weir.example."),
        Setting(
            key: "oidc.issuer", kind: .url, standard: nil,
            help: "With `auth: oidc`, the issuer of the OpenID provider, exactly as the provider writes it."),
        Setting(
            key: "oidc.client-id", kind: .text, standard: nil,
            help: "With `auth: oidc`, the name of this server at the provider."),
        Setting(
            key: "oidc.client-secret-file", kind: .path, standard: nil,
            help:
                "With `auth: oidc`, a file with the client secret; without it, the variable `\(clientSecretVariable)` has it."
        ),
        Setting(
            key: "oidc.ca-file", kind: .path, standard: nil,
            help:
                "With `auth: oidc`, a PEM file with the root certificates that the provider's certificate may have besides those "
                + "that this machine trusts."),
        Setting(
            key: "oidc.client-authentication", kind: .word(["basic", "post"]), standard: nil,
            help: "How the client secret is sent to the provider; without it, as the provider offers."),
        Setting(
            key: "oidc.scopes", kind: .list, standard: "profile",
            help: "The scopes that are asked for besides openid; some providers name groups only with a scope for them."
        ),
        Setting(
            key: "oidc.name-claim", kind: .text, standard: "name",
            help: "The claim with the name that people see; without it preferred_username, then email."),
        Setting(
            key: "oidc.groups-claim", kind: .text, standard: "groups",
            help: "The claim with the groups; dots lead into a claim, as in realm_access.roles."),
        Setting(
            key: "oidc.session-hours", kind: .integer(1...720), standard: "12",
            help: "After how many hours people sign in at the provider again, which names their groups anew."),
        Setting(
            key: "oidc.lease-hours", kind: .integer(1...8_760), standard: "24",
            help:
                "After how many hours the tokens and links of a person end if the person has not signed in at the provider again; "
                + "at least as long as `oidc.session-hours`. With `auth: proxy`, if the proxy has not named the person again."
        ),
        Setting(
            key: "session.idle-hours", kind: .integer(1...720), standard: "12",
            help: "After how many hours without a request a browser is signed out."),
        Setting(
            key: "session.days", kind: .integer(1...365), standard: "7",
            help: "After how many days a browser is signed out in any case."),
        Setting(
            key: "users.second-factor", kind: .list, standard: nil,
            help:
                "With `auth: password`, the roles whose users must set up a second factor before anything else, such as admin."
        ),
        Setting(
            key: "tls.cert", kind: .path, standard: nil,
            help:
                "The certificate chain in PEM, with which the server itself speaks https and HTTP/2; read again on SIGHUP."
        ),
        Setting(
            key: "tls.key", kind: .path, standard: nil,
            help: "The private key of the certificate in PEM; read again on SIGHUP."),
        Setting(
            key: "audit.days", kind: .integer(1...36_500), standard: "365",
            help: "For how many days the audit is kept."),
        Setting(
            key: "audit.head-log", kind: .word(["yes", "no"]), standard: "no",
            help: "Whether the newest hash of the audit is logged every hour, and when the server stops."),
        Setting(
            key: "audit.head-url", kind: .url, standard: nil,
            help:
                "The URL to which the newest hash of the audit is sent every hour, by POST, so that a rewritten audit is detected."
        ),
    ]
}
