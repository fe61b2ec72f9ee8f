import Foundation
import Logging
import Synchronization
import WeirAccess
import WeirStates

/// Signs users in through an OpenID provider, with the authorization code flow of OpenID Connect Core 1.0 and PKCE (RFC 7636).
///
/// The issuer and the subject identify a user; the name does not.
final class OpenIDProvider: IdentityProvider {
    private let configuration: OpenIDConfiguration
    private let transport: any ProviderTransport
    private let documents: ProviderDocuments
    private let seal: AttemptSeal
    private let used = Mutex(UsedAttempts())
    private let usedLogouts = Mutex(UsedLogoutTokens())
    private let places = Mutex(SignInPlaces())
    private let now: @Sendable () -> Int64
    private let random: @Sendable (Int) -> [UInt8]
    private let logger: Logger

    /// Creates a provider without contacting it.
    ///
    /// - Parameters:
    ///   - configuration: The registration of this server.
    ///   - key: The key that seals pending sign-ins, which servers share that a browser can return to, or nil for a random key.
    ///   - transport: Sends requests to the provider, or nil for the network.
    ///   - now: Returns the time in milliseconds since 1970.
    ///   - random: Returns the given number of random bytes.
    ///   - logger: Logs when the provider is unreachable, and which claims are ignored.
    init(
        _ configuration: OpenIDConfiguration, key: String? = nil, transport: (any ProviderTransport)? = nil,
        now: @escaping @Sendable () -> Int64 = AuditLog.time,
        random: @escaping @Sendable (Int) -> [UInt8] = SecretText.random,
        logger: Logger = Logger(label: "weir.oidc")
    ) {
        self.configuration = configuration
        seal = AttemptSeal(key)
        let transport = transport ?? ProviderClient(roots: configuration.roots)
        self.transport = transport
        self.now = now
        self.random = random
        self.logger = logger
        documents = ProviderDocuments(configuration, transport: transport, now: now, logger: logger)
    }

    /// Requests the provider's metadata, with backoff, until it answers or the task is cancelled.
    ///
    /// Running this at the start reports a misconfiguration in the log before the first sign-in.
    func prepare() async {
        while !Task.isCancelled {
            do throws(IdentityProviderError) {
                _ = try await documents.currentMetadata()
                logger.notice(
                    "People sign in through the identity provider, where this redirect URI must be registered.",
                    metadata: ["issuer": "\(configuration.issuer)", "redirect": "\(configuration.redirectURI)"])
                return
            } catch {
                do { try await Task.sleep(for: .seconds(1)) } catch { return }
            }
        }
    }

    // MARK: The way there

    func begin(back: String) async throws(IdentityProviderError) -> (url: String, secret: String) {
        let metadata = try await documents.currentMetadata()
        let attempt = SignInAttempt(back: back, now: now(), random: random)
        let secret: String
        do { secret = try seal.seal(attempt) } catch {
            throw IdentityProviderError(.failed, "The sign-in could not be sealed: \(error)")
        }
        let url = metadata.authorizationEndpoint.adding([
            ("response_type", "code"), ("client_id", configuration.clientID),
            ("redirect_uri", configuration.redirectURI),
            ("scope", (["openid"] + configuration.scopes.filter { $0 != "openid" }).joined(separator: " ")),
            ("state", attempt.state), ("nonce", attempt.nonce), ("code_challenge", attempt.challenge),
            ("code_challenge_method", "S256"),
        ])
        return (url, secret)
    }

    func signOut(token text: String) async throws(IdentityProviderError) -> ProviderSignOut {
        let token = try IDToken(text)
        let metadata: ProviderMetadata
        if let known = await documents.knownMetadata {
            metadata = known
        } else {
            metadata = try await documents.currentMetadata()
        }
        let claims = try await token.claims(signedBy: await documents.keys(for: token.header, at: metadata.keys))
        let check = LogoutTokenCheck(
            issuer: configuration.issuer, clientID: configuration.clientID, leeway: configuration.leeway)
        let (id, subject, session) = try check.signOut(of: claims, now: now())
        guard usedLogouts.withLock({ $0.use(id, now: now()) }) else {
            throw IdentityProviderError(.stale, "The logout token was received before.")
        }
        return ProviderSignOut(identity: subject.map { configuration.identityPrefix + $0 }, session: session)
    }

    func signOutURL() async -> String? {
        await documents.knownMetadata?.endSessionEndpoint?.adding([
            ("client_id", configuration.clientID), ("post_logout_redirect_uri", configuration.signedOutURI),
        ])
    }

    // MARK: The way back

    func complete(
        _ parameters: [String: String], secret: String?, from address: String?
    ) async throws(IdentityProviderError) -> ProviderSignIn {
        let attempt = try attempt(of: parameters, secret: secret)
        let subscriber = SignInThrottle.subscriber(of: address ?? "")
        guard places.withLock({ $0.take(for: subscriber) }) else {
            throw IdentityProviderError(.busy, "Too many sign-ins wait for the provider, in all or of one address.")
        }
        defer { places.withLock { $0.giveBack(of: subscriber) } }
        // After the place is taken, so that a browser refused for lack of a place can return with the same URL.
        guard used.withLock({ $0.use(attempt, now: now()) }) else {
            throw IdentityProviderError(.stale, "The browser came back a second time with the same state.")
        }
        let metadata: ProviderMetadata
        if let known = await documents.knownMetadata {
            metadata = known
        } else {
            metadata = try await documents.currentMetadata()
        }
        // Prevents mix-up attacks, in which the browser returns with the code of another provider (RFC 9207).
        guard parameters["iss"].map({ $0 == configuration.issuer }) ?? !metadata.namesIssuer else {
            throw IdentityProviderError(
                .failed, "The answer is from \(Quoted(parameters["iss"] ?? "nobody")), not from the provider.")
        }
        if let problem = ProviderProblem(parameters) { throw problem.error }
        guard let code = parameters["code"], !code.isEmpty else {
            throw IdentityProviderError(.failed, "The provider sent the browser back without a code.")
        }
        let tokens = try await exchange(code, of: attempt, metadata)
        guard let text = tokens["id_token"]?.string else {
            throw IdentityProviderError(.failed, "The token endpoint gave no ID token. Is the scope openid allowed?")
        }
        let token = try IDToken(text)
        let claims = try await token.claims(
            signedBy: await documents.keys(for: token.header, at: metadata.keys))
        let check = IDTokenCheck(
            issuer: configuration.issuer, clientID: configuration.clientID, nonce: attempt.nonce,
            leeway: configuration.leeway)
        let subject = try check.subject(of: claims, now: now())
        return signIn(subject, try await completed(claims, subject, tokens, metadata), back: attempt.back)
    }

    private func attempt(of parameters: [String: String], secret: String?) throws(IdentityProviderError)
        -> SignInAttempt
    {
        guard let attempt = secret.flatMap(seal.open) else {
            throw IdentityProviderError(
                .stale, "The browser came back without the cookie of a sign-in that was begun here.")
        }
        guard parameters["state"] == attempt.state else {
            throw IdentityProviderError(.stale, "The browser came back with the state of another sign-in.")
        }
        guard !attempt.isOver(now: now()) else {
            throw IdentityProviderError(.stale, "The browser came back after more than ten minutes.")
        }
        return attempt
    }

    private func exchange(_ code: String, of attempt: SignInAttempt, _ metadata: ProviderMetadata)
        async throws(IdentityProviderError) -> JSONValue
    {
        var request = ProviderRequest(metadata.tokenEndpoint)
        var form = [
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", configuration.redirectURI),
            ("code_verifier", attempt.verifier),
        ]
        let (id, secret) = (configuration.clientID, configuration.clientSecret.text)
        switch metadata.clientAuthentication {
        case .basic:
            // RFC 6749, section 2.3.1, requires both to be form-encoded before they are joined.
            let pair = PercentEncoding.encode(id) + ":" + PercentEncoding.encode(secret)
            request.authorization = "Basic " + Data(pair.utf8).base64EncodedString()
        case .post: form += [("client_id", id), ("client_secret", secret)]
        }
        request.form = form
        let answer = try await transport.send(request)
        if let problem = ProviderProblem(answer) { throw problem.error }
        return try answer.document("The token endpoint")
    }

    /// The claims of the ID token, extended by the UserInfo endpoint if the token lacks the name or the groups.
    private func completed(
        _ claims: JSONValue, _ subject: String, _ tokens: JSONValue, _ metadata: ProviderMetadata
    ) async throws(IdentityProviderError) -> JSONValue {
        let wanted = [configuration.nameClaim, configuration.groupsClaim]
        guard wanted.contains(where: { $0.value(in: claims) == nil }), let url = metadata.userInfoEndpoint,
            let access = tokens["access_token"]?.string
        else { return claims }
        var request = ProviderRequest(url)
        request.authorization = "Bearer \(access)"
        let answer = try await transport.send(request)
        guard let more = answer.status == 200 ? answer.json : nil, more["sub"]?.string == subject else {
            logger.warning(
                "The provider's user information cannot be used; the ID token alone counts.",
                metadata: ["status": "\(answer.status)"])
            return claims
        }
        // Signed claims take precedence over unsigned ones.
        let signed = (claims.object ?? [:]).filter { $0.value != .null }
        return .object((more.object ?? [:]).merging(signed) { $1 })
    }

    private func signIn(_ subject: String, _ claims: JSONValue, back: String) -> ProviderSignIn {
        let names = [configuration.nameClaim, ClaimPath("preferred_username"), ClaimPath("email")]
            .compactMap { $0.value(in: claims)?.string }
        let groups = configuration.groupsClaim.texts(in: claims)
        let sound = (groups ?? []).filter(VisibleName.isSound).prefix(ProviderSignIn.maximumGroups)
        if groups == nil {
            logger.warning(
                "The provider sent no groups for a user. Is oidc.groups-claim right, and the scope allowed?",
                metadata: [
                    "claim": "\(configuration.groupsClaim)",
                    "claims": "\(Quoted((claims.object ?? [:]).keys.sorted().joined(separator: " ")))",
                ])
        } else if sound.count < groups?.count ?? 0 {
            logger.warning(
                "Some groups of a user are ignored: there are too many, or they are not visible text.",
                metadata: ["kept": "\(sound.count)"])
        }
        let person = StoredPerson(
            name: names.first { VisibleName.isSound($0) && !ReservedName.isReserved($0) } ?? subject,
            identity: configuration.identityPrefix + subject,
            isUser: false, groups: Set(sound).sorted())
        return ProviderSignIn(
            person: person, back: back, hasGroups: groups != nil, session: claims["sid"]?.string)
    }
}
