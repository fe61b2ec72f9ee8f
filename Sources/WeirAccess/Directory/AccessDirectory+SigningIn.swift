import Logging
import Synchronization
import WeirFlows
import WeirStates

package enum SignInOutcome: Sendable {
    /// The user is signed in; the secret is the value of the session cookie.
    case signedIn(SecretText, Principal)
    /// The password is right, and the code of the second factor is missing; the value is the state of the sign-in, for the browser.
    case asksCode(String)
    /// The name, the password or the code is wrong.
    case wrong
    /// The state of the sign-in is not valid: begin with the password.
    case expired
    /// Too many attempts; the value is the delay in milliseconds before the next one.
    case throttled(Int64)
    /// Too many passwords are being hashed.
    case busy
}

extension AccessDirectory {
    /// Signs in a local user.
    ///
    /// Hashes on a work pool. Unknown names take as long as known ones.
    ///
    /// - Parameters:
    ///   - name: The name as typed.
    ///   - password: The password as typed.
    ///   - origin: The origin of the request.
    ///   - old: The secret of the browser's previous session, which ends.
    ///   - mark: The cookie that marks a known browser; nil without one.
    /// - Returns: The outcome.
    /// - Throws: `AccessError` if the session cannot be stored.
    package func signIn(
        _ name: String, _ password: String, from origin: AuditOrigin, replacing old: SecretText? = nil,
        mark: String? = nil
    ) async throws -> SignInOutcome {
        let (user, attempt): (UserRecord, SignInAttempt)
        switch try await checkPassword(name, password, from: origin, mark: mark) {
        case .failed(let outcome): return outcome
        case .right(let known, let counted): (user, attempt) = (known, counted)
        }
        if secondFactor(of: user) != nil {
            // Not a success, which would reset the delay after wrong codes.
            state.withLock { $0.throttle.withdraw(attempt) }
            await rehash(user, password)
            return .asksCode(step(for: user))
        }
        // The password may have changed, or the user may have been removed, during hashing.
        let secret: SecretText?
        do {
            secret = try await begin(StoredPerson(user: user.name), from: origin, replacing: old) { state in
                state.users[user.name]?.password == user.password && state.factor(of: user) == nil
            }
        } catch {
            // The password was right, so an outage of the storage must not delay the attempts after it.
            state.withLock { $0.throttle.withdraw(attempt) }
            throw error
        }
        guard let secret else { return .wrong }
        state.withLock { $0.throttle.succeed(attempt) }
        await rehash(user, password)
        return .signedIn(secret, user.principal)
    }

    enum PasswordCheck {
        /// The password is right; the attempt is still counted as a failure.
        case right(UserRecord, SignInAttempt)
        case failed(SignInOutcome)
    }

    /// Checks a password within the limits for attempts.
    func checkPassword(
        _ name: String, _ password: String, from origin: AuditOrigin, mark: String?
    ) async throws -> PasswordCheck {
        let typed = UserName(name.filter { !$0.isWhitespace })
        let (key, time) = (typed?.text ?? "", now())
        // Before the storage is read, so that attempts without end do not reach it.
        let (attempt, wait) = state.withLock { state in
            let user = typed.flatMap { state.users[$0.text] }
            let attempt =
                user.map { state.attempt(of: $0, from: origin, mark: mark) }
                ?? SignInAttempt(name: key, address: origin.address ?? "", browser: nil)
            return (attempt, state.throttle.attempt(attempt, now: time))
        }
        if let wait {
            refuse(key, from: origin, "too many attempts")
            return .failed(.throttled(wait))
        }
        // Another server may just have added the user or changed the password.
        await lookUp()
        let user = typed.flatMap { typed in state.withLock { $0.users[typed.text] } }
        let hash = user.flatMap { PasswordHash($0.password) } ?? decoy
        let isRight: Bool
        do {
            isRight = try await (attempt.browser == nil ? hashing : knownHashing).run { [password] in
                password.utf8.count <= PasswordRule.maximumBytes ? try hash.matches(password) : false
            }
        } catch is WorkPool.Busy {
            state.withLock { $0.throttle.withdraw(attempt) }
            return .failed(.busy)
        }
        guard isRight, let user else {
            refuse(key, from: origin, "wrong name or password")
            return .failed(.wrong)
        }
        return .right(user, attempt)
    }

    /// Begins a session for an authenticated person.
    ///
    /// Always creates a new secret, which prevents session fixation.
    package func begin(
        _ person: StoredPerson, from origin: AuditOrigin, replacing old: SecretText?, providerSession: String? = nil
    ) async throws -> SecretText {
        guard
            let secret = try await begin(
                person, from: origin, replacing: old, providerSession: providerSession, if: { _ in true })
        else {
            throw AccessError.storage
        }
        return secret
    }

    /// Begins a session if `isRight` holds when the change runs and the code is right; otherwise returns nil.
    ///
    /// Unless `isSignIn` is true, the audit does not record it as a sign-in.
    func begin(
        _ person: StoredPerson, from origin: AuditOrigin, replacing old: SecretText?, providerSession: String? = nil,
        code: (user: UserRecord, text: String)? = nil, isSignIn: Bool = true,
        if isRight: @escaping @Sendable (DirectoryState) -> Bool
    ) async throws -> SecretText? {
        try await change { [self] in
            guard state.withLock({ isRight($0) }) else { return nil }
            let secret = SecretText(.session, bytes: random(32))
            let time = now()
            let factor = code.flatMap { code in state.withLock { $0.factor(of: code.user) } }
            let used = code.flatMap { factor?.accepting($0.text, now: time) }
            guard code == nil || used != nil else { return nil }
            let session = SessionRecord(
                hash: secret.hash, person: person, begunAt: time, usedAt: time, address: origin.address,
                providerSession: providerSession)
            let named = person.isUser ? nil : PersonRecord(person: person, namedAt: time)
            let ended = state.withLock { state in
                var table = state.sessions
                let replaced = old.map { old in table.end { $0.hash == old.hash } } ?? []
                return replaced + table.begin(session, now: time)
            }
            let replaced = Set(ended + (old.map { [$0.hash] } ?? []))
            let changes =
                try [StoredChange.put(session)] + (named.map { [try .put($0)] } ?? [])
                + (used.map { [try .put($0)] } ?? [])
            try await write(changes + replaced.map { .remove(kind: .session, id: $0) })
            let isChanged = state.withLock { state in
                if let used { state.factors[used.name] = used }
                _ = state.sessions.end { replaced.contains($0.hash) }
                state.ended.formUnion(state.sessions.begin(session, now: time))
                return named.map { state.people.name($0) } ?? false
            }
            // The provider may have named other groups, which also bound the person's tokens and links.
            if isChanged || !ended.isEmpty { control.invalidate() }
            if isSignIn {
                audit.record(.signIn, by: person.principal, from: origin, detail: used?.words(after: factor))
            }
            return secret
        }
    }

    /// Ends the session with the given secret, if it exists.
    package func signOut(_ secret: SecretText?, from origin: AuditOrigin) async throws {
        guard let secret else { return }
        try await change { [self] in
            guard let ended = state.withLock({ $0.sessions.sessions[secret.hash] }) else { return }
            // Store first: a removal that is not stored would be undone silently by a restart.
            try await write([.remove(kind: .session, id: secret.hash)])
            _ = state.withLock { $0.sessions.end { $0.hash == secret.hash } }
            control.invalidate()
            audit.record(.signOut, by: ended.person.principal, from: origin)
        }
    }

    // MARK: The first user

    /// Creates the code for setting up the first user; nil if users exist or the mode has none.
    package func makeSetUpCode() -> String? {
        let (bytes, time) = (random(16), now())
        return state.withLock { state in
            guard configuration.mode == .password, state.users.isEmpty else { return nil }
            let code = SetUpCode(bytes: bytes, now: time)
            state.setUp = code
            return code.text
        }
    }

    /// Whether the first user can be set up.
    package var awaitsSetUp: Bool {
        let time = now()
        return state.withLock { $0.users.isEmpty && $0.setUp?.isUsable(now: time) == true }
    }

    /// Whether the mode has local users but none exists.
    var hasNoUsers: Bool { configuration.mode == .password && state.withLock { $0.users.isEmpty } }

    /// Creates the first user as an administrator and begins their session.
    package func setUp(code: String, name: String, password: String, from origin: AuditOrigin) async throws
        -> SecretText
    {
        let time = now()
        guard let name = UserName(name) else { throw AccessError(.invalid, .name) }
        if let problem = PasswordRule.problem(with: password, of: name.text) { throw AccessError(.invalid, problem) }
        let isRight = state.withLock { state in
            guard state.users.isEmpty, state.setUp?.accepts(code, now: time) == true else { return false }
            // The code is valid for one use, also with concurrent requests.
            state.setUp = nil
            return true
        }
        guard isRight else {
            audit.record(.setUp, by: .anonymous, from: origin, outcome: .refused)
            throw AccessError(.wrong, .wrongCode)
        }
        try await addUser(
            name.text, password: password, roles: [StoredAssignment(role: "admin")], by: .system, onlyAsFirst: true)
        audit.record(.setUp, by: Principal(.person, name: name.text), from: origin)
        return try await begin(
            StoredPerson(user: name.text), from: origin, replacing: nil)
    }

    // MARK: Passwords

    func refuse(_ name: String, from origin: AuditOrigin, _ detail: String) {
        audit.record(
            .signIn, by: .anonymous, from: origin, subject: "user:\(name)", outcome: .refused, detail: detail)
    }

    func hash(_ password: String) async throws -> PasswordHash {
        let (cost, salt) = (configuration.cost, random(16))
        do {
            return try await hashing.run { try PasswordHash(password, cost: cost, salt: salt) }
        } catch is WorkPool.Busy {
            throw AccessError(.unavailable, .busyHashing)
        }
    }

    /// Rehashes a password that has a lower cost than the current one; on failure, the old hash stays.
    private func rehash(_ user: UserRecord, _ password: String) async {
        guard let known = PasswordHash(user.password), known.cost.logRounds < configuration.cost.logRounds else {
            return
        }
        do {
            let hash = try await hash(password).description
            try await change { [self] in
                guard var changed = state.withLock({ $0.users[user.name] }), changed.password == user.password else {
                    return
                }
                changed.password = hash
                let stored = changed
                try await write([.update(stored)])
                state.withLock { $0.users[stored.name] = stored }
            }
        } catch {
            logger.warning("A password could not be hashed anew.", metadata: ["cause": "\(Quoted(error))"])
        }
    }
}

/// The code for setting up the first user; printed on the console; valid for one use, five attempts and fifteen minutes.
struct SetUpCode: Hashable, Sendable {
    /// In milliseconds.
    static let lifetime: Int64 = 15 * 60_000
    /// The maximum number of attempts.
    static let tries = 5

    let text: String
    private let madeAt: Int64
    private var tried = 0

    init(bytes: [UInt8], now: Int64) {
        let letters = SecretText.shortID(bytes)
        text = letters.enumerated().map {
            ($0.offset > 0 && $0.offset.isMultiple(of: 4) ? "-" : "") + String($0.element)
        }
        .joined()
        madeAt = now
    }

    func isUsable(now: Int64) -> Bool { tried < Self.tries && (0...Self.lifetime).contains(now - madeAt) }

    /// Counts an attempt and returns whether the code is right; compares in constant time.
    mutating func accepts(_ typed: String, now: Int64) -> Bool {
        guard isUsable(now: now) else { return false }
        tried += 1
        let own = Array(text.replacing("-", with: "").utf8)
        let other = Array(typed.lowercased().utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: " ") })
        guard own.count == other.count else { return false }
        return zip(own, other).reduce(UInt8.zero) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
