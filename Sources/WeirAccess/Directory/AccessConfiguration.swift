/// How people and programs are known, and for how long.
package struct AccessConfiguration: Sendable {
    /// Where a person comes from.
    package enum Mode: Sendable, Hashable {
        /// Nobody is asked: everybody is the local operator.
        ///
        /// Requests that came through a proxy are refused, unless it was written down that they may come.
        case none(allowsForwarded: Bool)
        /// A proxy names the person in a header, and perhaps the groups in another.
        case proxy(user: String, groups: String?)
        /// Users of Weir's own, with passwords.
        case password
        /// An identity provider that speaks OpenID Connect; the identity of everybody whom it knows begins so.
        case oidc(prefix: String)
    }

    /// Where a person comes from.
    package var mode: Mode
    /// The addresses whose forwarding headers, and whose header with the user, are believed.
    package var trustedProxies: [NetworkRange] = []
    /// Whether browsers reach this server by https, by its own certificate or through a proxy.
    package var isSecure = false
    /// What browsers call this server, without a slash at the end; nil where that is the name they ask for.
    package var publicURL: String?
    /// Whether this server encrypts its connections itself.
    package var hasCertificate = false
    /// How long sessions last.
    package var sessions = SessionTable.Limits()
    /// How often somebody may try to sign in.
    package var throttle = SignInThrottle.Limits()
    /// What a password's hash costs.
    package var cost = ScryptCost.standard

    /// Makes a configuration; everything else has its usual value.
    package init(_ mode: Mode) { self.mode = mode }

    /// Whether people sign in here, rather than at a proxy or not at all.
    package var hasSignIn: Bool {
        switch mode {
        case .password, .oidc: true
        case .none, .proxy: false
        }
    }

    /// Whether a session of that person counts: not one of users where a provider is asked now, nor of another provider.
    func knows(_ person: StoredPerson) -> Bool {
        switch mode {
        case .none, .proxy: false
        case .password: person.isUser
        case .oidc(let prefix): !person.isUser && person.identity.hasPrefix(prefix)
        }
    }
}
