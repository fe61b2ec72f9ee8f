import Synchronization
import WeirStates

extension AccessDirectory: Authenticator {
    /// Authenticates a request; a bearer token takes precedence; otherwise the mode decides.
    package func authenticate(_ request: AccessRequest) -> Authentication {
        let authorizations = request.values("authorization")
        // An empty token counts too: a script whose variable is unset must not act as another principal.
        let bearers = authorizations.compactMap(Self.bearer)
        if let bearer = bearers.first {
            guard authorizations.count == 1 else { return .refused(.malformed("Send one Authorization field.")) }
            return authenticate(bearer: bearer)
        }
        switch configuration.mode {
        case .none(let allowsForwarded):
            if !allowsForwarded, Self.forwarding.contains(where: { !request.values($0).isEmpty }) {
                return .refused(
                    .forwarded(
                        "This server does not require sign-in and serves only its own machine, but the request came "
                            + "through a proxy. Set `auth`; see Documentation/access.md."))
            }
            return .authorized(control.authorize(.localOperator))
        case .proxy(let user, let groups): return authenticate(request, user: user, groups: groups)
        case .password, .oidc: return .authorized(authorization(ofSessionIn: request.values("cookie")))
        case .command: return .authorized(control.authorize(.anonymous))
        }
    }

    private static let forwarding = [
        "forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-forwarded-port",
        "x-forwarded-server", "x-forwarded-user", "x-forwarded-prefix", "x-forwarded-scheme", "x-forwarded-ssl",
        "x-forwarded-by", "x-original-forwarded-for", "x-real-ip", "x-client-ip", "true-client-ip", "cf-connecting-ip",
        "via",
    ]

    /// The text after the word “Bearer” without spaces, or nil for another scheme.
    static func bearer(_ field: String) -> String? {
        let scheme = field.prefix { $0 != " " && $0 != "\t" }
        guard scheme.lowercased() == "bearer" else { return nil }
        return field[scheme.endIndex...].filter { $0 != " " && $0 != "\t" }
    }

    private func authenticate(bearer text: String) -> Authentication {
        let credential: Credential?
        if let token = SecretText(text, kind: .token) {
            credential = state.withLock { $0.tokenIDs[token.hash] }.map(Credential.token)
        } else if let link = SecretText(text, kind: .link) {
            credential = state.withLock { $0.linkIDs[link.hash] }.map(Credential.link)
        } else {
            credential = nil
        }
        let generation = control.generation
        guard let credential, let principal = principal(of: credential) else { return .refused(.invalidToken) }
        return .authorized(control.authorize(principal, credential: credential, asOf: generation))
    }

    private func authenticate(_ request: AccessRequest, user: String, groups: String?) -> Authentication {
        guard let peer = request.peer.flatMap(NetworkAddress.init), isTrusted(peer) else {
            return .authorized(authorization(ofLinkIn: request.values("cookie")))
        }
        let names = request.values(user)
        guard names.count <= 1 else { return .refused(.malformed("The proxy must name one user, not \(names.count).")) }
        guard let name = names.first, !name.isEmpty else {
            return .authorized(authorization(ofLinkIn: request.values("cookie")))
        }
        // A comma indicates two fields joined into one.
        guard VisibleName.isSound(name), !name.contains(",") else {
            return .refused(.malformed("The name that the proxy sends is not one line of 1 to 200 visible characters."))
        }
        let named = groups.map { request.values($0).flatMap { $0.split(separator: ",") } } ?? []
        let sound = named.map { $0.trimmingPrefix { $0 == " " } }.map { String($0) }
            .map { text in String(text.reversed().drop { $0 == " " }.reversed()) }.filter(VisibleName.isSound)
        let person = StoredPerson(name: name, identity: name, isUser: false, groups: Set(sound).sorted())
        let generation = take(person)
        return .authorized(control.authorize(person.principal, credential: .named(name), asOf: generation))
    }

    /// Records the person that a proxy names; a change of the groups ends what an earlier request began by the earlier ones.
    ///
    /// - Returns: The generation of the access control in which the person has these groups.
    private func take(_ person: StoredPerson) -> UInt64 {
        let (time, generation) = (now(), control.generation)
        let isChanged = state.withLock { state in
            let known = state.people[person.identity]
            // Also ahead by up to the lease, as another server's clock can be.
            let recent = -configuration.lease..<Self.namingInterval
            let isRecent = known.map { recent.contains(time &- $0.namedAt) } ?? false
            guard known?.person != person || !isRecent else { return false }
            state.namedPeople.insert(person.identity)
            return state.people.name(PersonRecord(person: person, namedAt: time))
        }
        guard isChanged else { return generation }
        control.invalidate()
        return control.generation
    }

    /// The interval in which a proxy's namings of a person are recorded once, in milliseconds.
    static let namingInterval: Int64 = 60_000

    /// The authorization of a session cookie; without a valid one, that of a link cookie or of an anonymous user.
    private func authorization(ofSessionIn cookies: [String]) -> Authorization {
        guard let secret = cookie.session(in: cookies).map(SecretText.digest) else {
            return authorization(ofLinkIn: cookies)
        }
        let (time, generation) = (now(), control.generation)
        if let known = state.withLock({ $0.authorization(of: secret, in: generation, now: time) }) { return known }
        let hash = Hex(secret).text
        let until = state.withLock { state -> Int64? in
            guard let session = state.sessions.session(hash, now: time), configuration.knows(session.person) else {
                return nil
            }
            if state.sessions.use(hash, now: time) { state.used.insert(hash) }
            return state.sessions.settled(hash)
        }
        guard let until, let principal = principal(of: .session(hash)) else { return authorization(ofLinkIn: cookies) }
        let authorization = control.authorize(principal, credential: .session(hash), asOf: generation)
        state.withLock { $0.keep(authorization, of: secret, until: until) }
        return authorization
    }

    /// The authorization of a link cookie, or of an anonymous user without a valid one.
    private func authorization(ofLinkIn cookies: [String]) -> Authorization {
        cookie.link(in: cookies).flatMap { authorization(ofLink: $0.text) } ?? control.authorize(.anonymous)
    }

    package var cookie: SessionCookie { state.withLock { $0.cookie } }

    /// Resolves a credential; nil if it has ended.
    func principal(of credential: Credential) -> Principal? {
        let time = now()
        switch credential {
        case .request: return nil
        case .named(let identity): return state.withLock { $0.people[identity]?.person.principal }
        case .session(let hash):
            let found = state.withLock { state -> (person: StoredPerson, principal: Principal?)? in
                guard let session = state.sessions.session(hash, now: time), configuration.knows(session.person) else {
                    return nil
                }
                let person = session.person
                guard !person.isUser else { return (person, state.principal(ofUser: person.identity)) }
                // The groups of the latest sign-in, in any browser.
                return (person, (state.people[person.identity]?.person ?? person).principal)
            }
            guard let found else { return nil }
            return found.person.isUser ? found.principal.map(obliged) : found.principal
        case .token(let id):
            return state.withLock { state in
                guard let token = state.tokens[id], token.isValid(now: time) else { return nil }
                var bounds: [Principal] = []
                if let maker = token.maker {
                    guard let principal = state.principal(of: maker, now: time) else { return nil }
                    bounds = [principal]
                }
                let today = time / 86_400_000
                if token.usedOn != today {
                    state.tokens[id]?.usedOn = today
                    state.usedTokens.insert(id)
                }
                return Principal(
                    .token, name: token.principalName, identity: id, assignments: token.roles.map(\.assignment),
                    bounds: bounds)
            }
        case .link(let id):
            let found = state.withLock { state -> (LinkRecord, Principal?)? in
                guard let link = state.links[id], link.isValid(now: time) else { return nil }
                return (link, link.maker.map { state.principal(of: $0, now: time) } ?? .system)
            }
            // The link's maker must still exist and still be allowed to create it.
            guard let (link, maker) = found, let maker else { return nil }
            let verbs = control.authorize(maker).permissions.verbs(on: .operation(link.operation))
            guard verbs.isSuperset(of: VerbSet([.see, .export])) else { return nil }
            return .link(id: id, run: link.run)
        }
    }
}

/// Resolves credentials that another server on the same storage just created.
extension AccessDirectory {
    /// Authenticates a request, reading the storage first if the request carries a credential that is unknown here.
    package func authenticateLookingUp(_ request: AccessRequest) async -> Authentication {
        let authentication = authenticate(request)
        if let authorization = authentication.authorization, !authorization.isAnonymous { return authentication }
        guard mayBeKnownElsewhere(request) else { return authentication }
        await lookUp()
        return authenticate(request)
    }

    /// Returns whether a request carries a session, token or link with a valid checksum that is unknown here.
    package func mayBeKnownElsewhere(_ request: AccessRequest) -> Bool {
        let bearers = request.values("authorization").compactMap(Self.bearer)
        let cookies = request.values("cookie")
        let cookie = cookie
        let session = bearers.isEmpty ? cookie.secret(in: cookies) : nil
        let token = bearers.first.flatMap { SecretText($0, kind: .token) }
        let link = bearers.first.map { SecretText($0, kind: .link) } ?? cookie.link(in: cookies)
        let time = now()
        return state.withLock { state in
            // A session that expired here may have been used at another server.
            session.map { state.sessions.session($0.hash, now: time) == nil } ?? false
                || token.map { state.tokenIDs[$0.hash] == nil } ?? false
                || link.map { state.linkIDs[$0.hash] == nil } ?? false
        }
    }

    /// Reads changes from the storage.
    ///
    /// Calls made before a read starts share it.
    ///
    /// Does nothing while the storage is known to fail, and returns after one second if it does not respond.
    package func lookUp() async {
        guard !state.withLock({ $0.failing.contains(.reading) }) else { return }
        await look.run(atMost: .seconds(1)) { [self] in
            // The error is logged already; the next read retries.
            do { try await refresh() } catch { _ = error }
        }
    }
}
