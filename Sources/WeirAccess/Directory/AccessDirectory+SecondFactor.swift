import Synchronization
import WeirStates

/// A secret for an authenticator app that is not in force until a code confirms it.
package struct SecondFactorOffer: Sendable {
    /// The signed secret, which the form sends back.
    package let sealed: String
    fileprivate let secret: [UInt8]

    init(sealed: String, secret: [UInt8]) { (self.sealed, self.secret) = (sealed, secret) }

    /// The secret in base 32, in groups of four.
    package var words: String { SecondFactorRecord.grouped(Base32.text(secret), by: " ") }

    /// The URI that an authenticator app takes the secret from.
    package func uri(name: String, server: String) -> String {
        let (name, server) = (PercentEncoding.encode(name), PercentEncoding.encode(server))
        return "otpauth://totp/\(server):\(name)?secret=\(Base32.text(secret))&issuer=\(server)"
            + "&algorithm=SHA1&digits=\(TimeCode.digits)&period=\(TimeCode.period / 1_000)"
    }
}

extension AccessDirectory {
    /// How long a browser can enter the code after the password, in milliseconds.
    static let stepLifetime: Int64 = 5 * 60_000
    private static let offerLifetime: Int64 = 60 * 60_000

    /// The second factor of a user, or nil without one.
    package func secondFactor(of user: UserRecord) -> SecondFactorRecord? { state.withLock { $0.factor(of: user) } }

    package func secondFactor(ofUser name: String) -> SecondFactorRecord? {
        state.withLock { state in state.users[name].flatMap { state.factor(of: $0) } }
    }

    /// The second factor of the user with a typed name, or nil without one; throws for an unknown user.
    package func secondFactor(named name: String) throws -> SecondFactorRecord? { secondFactor(of: try user(name)) }

    // MARK: Sign-in

    /// The signed state of a sign-in whose password was right; the browser keeps it until it sends the code.
    func step(for user: UserRecord) -> String {
        let until = now() + Self.stepLifetime
        return state.withLock { state in
            SealedText(
                user.name, for: .step, boundTo: user.signInState, until: until, key: state.browserKey
            ).text
        }
    }

    /// Whether a sign-in can continue with a code.
    package func isValid(step: String) -> Bool {
        let time = now()
        return state.withLock { $0.user(ofStep: step, now: time) != nil }
    }

    /// Completes a sign-in with a code or a recovery code; attempts are limited as passwords are.
    ///
    /// - Parameters:
    ///   - step: The state of the sign-in, of ``SignInOutcome/asksCode(_:)``.
    ///   - code: The code as typed.
    ///   - origin: The origin of the request.
    ///   - old: The secret of the browser's previous session, which ends.
    ///   - mark: The cookie that marks a known browser; nil without one.
    /// - Returns: The outcome.
    /// - Throws: `AccessError` if the session cannot be stored.
    package func signIn(
        step: String, code: String, from origin: AuditOrigin, replacing old: SecretText? = nil, mark: String? = nil
    ) async throws -> SignInOutcome {
        let time = now()
        let known = state.withLock { state -> (UserRecord, SignInAttempt, Int64?)? in
            guard let user = state.user(ofStep: step, now: time) else { return nil }
            let attempt = state.attempt(of: user, from: origin, mark: mark)
            return (user, attempt, state.throttle.attemptCode(attempt, now: time))
        }
        guard let (user, attempt, wait) = known else { return .expired }
        if let wait {
            refuse(user.name, from: origin, "too many attempts")
            return .throttled(wait)
        }
        do {
            let secret = try await begin(
                StoredPerson(user: user.name), from: origin, replacing: old, code: (user, code)
            ) { $0.users[user.name]?.signInState == user.signInState }
            guard let secret else {
                refuse(user.name, from: origin, "wrong code")
                return .wrong
            }
            state.withLock { $0.throttle.succeedCode(attempt) }
            return .signedIn(secret, user.principal)
        } catch {
            // An outage of the storage must not delay the attempts after it.
            state.withLock { $0.throttle.withdrawCode(attempt) }
            throw error
        }
    }

    // MARK: Set-up

    /// Makes a new secret for a user, bound to the session that shows it.
    package func offerSecondFactor(to name: String, session: String) -> SecondFactorOffer {
        let (secret, until) = (random(SecondFactorRecord.secretBytes), now() + Self.offerLifetime)
        let sealed = state.withLock { state in
            SealedText(
                Hex(secret).text, for: .offer, boundTo: "\(name) \(session)", until: until, key: state.browserKey)
        }
        return SecondFactorOffer(sealed: sealed.text, secret: secret)
    }

    /// The offer that a form sends back; nil if another session got it, or it has expired.
    package func secondFactorOffer(_ sealed: String, to name: String, session: String) -> SecondFactorOffer? {
        let time = now()
        let found = state.withLock { state in
            SealedText(sealed, for: .offer, boundTo: "\(name) \(session)", now: time, key: state.browserKey)
        }
        return found.flatMap { Hex($0.content) }.map { SecondFactorOffer(sealed: sealed, secret: $0.bytes) }
    }

    /// Puts a second factor in force, and returns the recovery codes, which are not stored.
    ///
    /// - Throws: `AccessError` if the offer has expired, the code or the password is wrong, or there is a second factor.
    package func setUpSecondFactor(
        _ sealed: String, code: String, password: String, of name: String, session: String, from origin: AuditOrigin,
        mark: String?
    ) async throws -> [String] {
        guard let offer = secondFactorOffer(sealed, to: name, session: session) else {
            throw AccessError(.invalid, .secondFactorOffer)
        }
        let typed = SecondFactorRecord.normalized(code)
        guard let used = TimeCode.step(of: typed, offer.secret, after: nil, now: now()) else {
            throw AccessError(.invalid, .wrongSecondFactor)
        }
        let checked: UserRecord
        switch try await checkPassword(name, password, from: origin, mark: mark) {
        case .right(let user, let attempt):
            state.withLock { $0.throttle.succeed(attempt) }
            checked = user
        case .failed(.throttled(let wait)): throw AccessError(after: wait)
        case .failed(.busy): throw AccessError(.unavailable, .busyHashing)
        case .failed: throw AccessError(.invalid, .wrongPassword)
        }
        return try await change { [self] in
            let user = try user(name)
            // The password may have changed, or the session may have ended, during hashing.
            guard user.signInState == checked.signInState, state.withLock({ $0.sessions.sessions[session] != nil })
            else { throw AccessError(.invalid, .wrongPassword) }
            guard state.withLock({ $0.factor(of: user) }) == nil else {
                throw AccessError(.conflict, .knownSecondFactor)
            }
            var factor = SecondFactorRecord(
                name: user.name, userCreatedAt: user.createdAt, since: now(), secret: Hex(offer.secret).text,
                usedStep: used, recovery: [])
            let codes = factor.renewRecovery(random)
            try await put(factor, of: user, "before: none; after: set up", by: user.principal, from: origin)
            return codes
        }
    }

    /// Replaces a user's own recovery codes, and returns the new ones.
    package func renewRecoveryCodes(
        of name: String, code: String, from origin: AuditOrigin, mark: String?, during session: String? = nil
    ) async throws -> [String] {
        try await using(code, of: name, from: origin, mark: mark, during: session) { [self] user, used in
            var factor = used
            let codes = factor.renewRecovery(random)
            try await put(factor, of: user, "new recovery codes", by: user.principal, from: origin)
            return codes
        }
    }

    /// Removes a user's own second factor.
    package func removeOwnSecondFactor(
        of name: String, code: String, from origin: AuditOrigin, mark: String?, during session: String? = nil
    ) async throws {
        try await using(code, of: name, from: origin, mark: mark, during: session) { [self] user, _ in
            try await put(nil, of: user, "before: set up; after: none", by: user.principal, from: origin)
        }
    }

    /// Removes a user's second factor, if there is one.
    package func removeSecondFactor(
        of name: String, by principal: Principal, from origin: AuditOrigin = .none
    ) async throws {
        try await change { [self] in
            let user = try user(name)
            guard state.withLock({ $0.factor(of: user) }) != nil else { return }
            try await put(nil, of: user, "before: set up; after: none", by: principal, from: origin)
        }
    }

    /// Runs a change with the factor after the use of a code; attempts are limited as sign-ins are.
    private func using<Result: Sendable>(
        _ code: String, of name: String, from origin: AuditOrigin, mark: String?, during session: String?,
        _ body: @escaping @Sendable (UserRecord, SecondFactorRecord) async throws -> Result
    ) async throws -> Result {
        let (user, time) = (try user(name), now())
        let (attempt, wait) = state.withLock { state in
            let attempt = state.attempt(of: user, from: origin, mark: mark)
            return (attempt, state.throttle.attemptCode(attempt, now: time))
        }
        if let wait {
            refuse(code: "too many attempts", of: user, from: origin)
            throw AccessError(after: wait)
        }
        do {
            let result = try await change { [self] in
                let user = try self.user(name)
                // The session may have ended while the body arrived.
                if let session, state.withLock({ $0.sessions.sessions[session] == nil }) {
                    throw AccessError(.missing, .unknownSession)
                }
                guard let used = state.withLock({ $0.factor(of: user) })?.accepting(code, now: now()) else {
                    throw AccessError(.invalid, .wrongSecondFactor)
                }
                return try await body(user, used)
            }
            state.withLock { $0.throttle.succeedCode(attempt) }
            return result
        } catch let error as AccessError where error.message == Message(AccessWording.wrongSecondFactor) {
            refuse(code: "wrong code", of: user, from: origin)
            throw error
        } catch {
            state.withLock { $0.throttle.withdrawCode(attempt) }
            throw error
        }
    }

    private func refuse(code reason: String, of user: UserRecord, from origin: AuditOrigin) {
        audit.record(
            .secondFactor, by: user.principal, from: origin, subject: "user:\(user.name)", outcome: .refused,
            detail: reason)
    }

    private func put(
        _ factor: SecondFactorRecord?, of user: UserRecord, _ words: String, by principal: Principal,
        from origin: AuditOrigin
    ) async throws {
        let entry = entry(.secondFactor, by: principal, from: origin, "user:\(user.name)", words)
        try await write([try factor.map { try .put($0) } ?? .remove(kind: .secondFactor, id: user.name)], entry)
        state.withLock { $0.factors[user.name] = factor }
        control.invalidate()
    }

    // MARK: Requirement

    /// Adds the duty to set up a second factor, if the settings require one for a role of the user.
    func obliged(_ principal: Principal) -> Principal {
        let required = configuration.secondFactorRoles
        guard principal.duty == nil, !required.isEmpty, secondFactor(ofUser: principal.identity) == nil,
            !control.rules.roles(of: principal).isDisjoint(with: required)
        else { return principal }
        var principal = principal
        principal.duty = .setUpSecondFactor
        return principal
    }
}

extension UserRecord {
    /// A text that changes with the password; a sign-in that waits for its code is void then.
    var signInState: String { "\(createdAt) \(changedAt)" }
}

extension DirectoryState {
    /// The second factor of a user; nil without one, and for one of an earlier user with this name.
    func factor(of user: UserRecord) -> SecondFactorRecord? {
        factors[user.name].flatMap { $0.userCreatedAt == user.createdAt || $0.isUnreadable ? $0 : nil }
    }

    /// The user whose sign-in waits for a code; nil if the state of the sign-in is not valid.
    func user(ofStep text: String, now: Int64) -> UserRecord? {
        guard let user = SealedText.content(of: text).flatMap({ users[$0] }), factor(of: user) != nil,
            SealedText(text, for: .step, boundTo: user.signInState, now: now, key: browserKey) != nil
        else { return nil }
        return user
    }

    func attempt(of user: UserRecord, from origin: AuditOrigin, mark: String?) -> SignInAttempt {
        let browser = mark.flatMap { KnownBrowser($0, of: user, key: browserKey)?.id }
        return SignInAttempt(name: user.name, address: origin.address ?? "", browser: browser)
    }
}
