extension Setting {
    /// Who may come in, and how they are known.
    static let access: [Setting] = [
        Setting(
            key: "auth", kind: .word(["none", "proxy", "password"]), standard: nil,
            help:
                "How users are identified: not at all, by a proxy, or by password. Without it they are not "
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
            key: "session.idle-hours", kind: .integer(1...720), standard: "12",
            help: "After how many hours without a request a browser is signed out."),
        Setting(
            key: "session.days", kind: .integer(1...365), standard: "7",
            help: "After how many days a browser is signed out in any case."),
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
                "Where the newest hash of the audit is sent every hour, by POST, so that nobody can rewrite the audit unnoticed."
        ),
    ]
}
