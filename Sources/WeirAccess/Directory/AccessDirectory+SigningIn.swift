import Logging
import Synchronization
import WeirFlows
import WeirStates

/// What came of an attempt to sign in.
package enum SignInOutcome: Sendable {
    /// Somebody is signed in; the secret goes into the cookie.
    case signedIn(SecretText, Principal)
    /// There is no such user, or it is not the password.
    case wrong
    /// There were too many attempts; try again after so many milliseconds.
    case throttled(Int64)
    /// Too many are signing in at this moment.
    case busy
}

extension AccessDirectory {
    /// Signs a user in.
    ///
    /// Hashes on a thread of its own, as long for a user there is not.
    ///
    /// - Parameters:
    ///   - name: As typed.
    ///   - password: As typed.
    ///   - origin: Where the request comes from.
    ///   - old: The secret of the browser's session so far, which ends.
    /// - Returns: What came of it.
    /// - Throws: `AccessError` when the session cannot be kept.
    package func signIn(_ name: String, _ password: String, from origin: AuditOrigin, replacing old: SecretText? = nil)
        async throws -> SignInOutcome
    {
        let address = origin.address
        let typed = UserName(name.filter { !$0.isWhitespace })
        let (key, time) = (typed?.text ?? "", now())
        let wait = state.withLock { $0.throttle.attempt(key, from: address ?? "", now: time) }
        if let wait {
            refuse(key, from: origin, "too many attempts")
            return .throttled(wait)
        }
        // Added, or given another password, at another server a moment ago.
        await lookUp()
        let user = typed.flatMap { typed in state.withLock { $0.users[typed.text] } }
        let hash = user.flatMap { PasswordHash($0.password) } ?? decoy
        let isRight: Bool
        do {
            isRight = try await hashing.run { [password] in
                password.utf8.count <= PasswordRule.maximumBytes ? try hash.matches(password) : false
            }
        } catch is WorkPool.Busy {
            return .busy
        }
        guard isRight, let user else {
            refuse(key, from: origin, "wrong name or password")
            return .wrong
        }
        let person = StoredPerson(name: user.name, identity: user.name, isUser: true, groups: [])
        // The password may have been changed, or the user removed, while it was hashed.
        let secret = try await begin(person, from: origin, replacing: old) { state in
            state.users[user.name]?.password == user.password
        }
        guard let secret else { return .wrong }
        state.withLock { $0.throttle.succeed(key, from: address ?? "") }
        if hash.cost.logRounds < configuration.cost.logRounds { await rehash(user, password) }
        return .signedIn(secret, user.principal)
    }

    /// Begins a session for somebody that a provider vouches for, or that has shown a password.
    ///
    /// The secret is a new one always: one that a browser brings is never taken over.
    package func begin(
        _ person: StoredPerson, from origin: AuditOrigin, replacing old: SecretText?, until end: Int64? = nil
    ) async throws -> SecretText {
        guard let secret = try await begin(person, from: origin, replacing: old, until: end, if: { _ in true }) else {
            throw AccessError.storage
        }
        return secret
    }

    /// Begins a session if something still is so; nil otherwise.
    private func begin(
        _ person: StoredPerson, from origin: AuditOrigin, replacing old: SecretText?, until end: Int64? = nil,
        if isRight: @escaping @Sendable (DirectoryState) -> Bool
    ) async throws -> SecretText? {
        try await change { [self] in
            guard state.withLock({ isRight($0) }) else { return nil }
            let secret = SecretText(.session, bytes: random(32))
            let time = now()
            let session = SessionRecord(hash: secret.hash, person: person, begunAt: time, usedAt: time, endsAt: end)
            let ended = state.withLock { state in
                var table = state.sessions
                let replaced = old.map { old in table.end { $0.hash == old.hash } } ?? []
                return replaced + table.begin(session, now: time)
            }
            let replaced = Set(ended + (old.map { [$0.hash] } ?? []))
            try await write([.put(session)] + replaced.map { .remove(kind: .session, id: $0) })
            state.withLock { state in
                _ = state.sessions.end { replaced.contains($0.hash) }
                if !person.isUser { state.people[person.identity] = person }
                state.ended.formUnion(state.sessions.begin(session, now: time))
            }
            if !ended.isEmpty { control.invalidate() }
            audit.record(
                .signIn, by: Principal(.person, name: person.name, identity: person.identity), from: origin)
            return secret
        }
    }

    /// Ends the session of a secret, if there is one.
    package func signOut(_ secret: SecretText?, from origin: AuditOrigin) async throws {
        guard let secret else { return }
        try await change { [self] in
            guard let ended = state.withLock({ $0.sessions.sessions[secret.hash] }) else { return }
            // Stored first: what could not be stored would be in force again after a restart, and nobody would know.
            try await write([.remove(kind: .session, id: secret.hash)])
            _ = state.withLock { $0.sessions.end { $0.hash == secret.hash } }
            control.invalidate()
            audit.record(
                .signOut, by: Principal(.person, name: ended.person.name, identity: ended.person.identity),
                from: origin)
        }
    }

    // MARK: The first user

    /// Makes the code for the first user; nil when there are users, or none are wanted.
    package func makeSetUpCode() -> String? {
        let (bytes, time) = (random(16), now())
        return state.withLock { state in
            guard configuration.mode == .password, state.users.isEmpty else { return nil }
            let code = SetUpCode(bytes: bytes, now: time)
            state.setUp = code
            return code.text
        }
    }

    /// Whether the first user can be made.
    package var awaitsSetUp: Bool {
        let time = now()
        return state.withLock { $0.users.isEmpty && $0.setUp?.isUsable(now: time) == true }
    }

    /// Whether there is nobody who could sign in.
    package var hasNoUsers: Bool { configuration.mode == .password && state.withLock { $0.users.isEmpty } }

    /// Makes the first user, an administrator, and signs them in.
    package func setUp(code: String, name: String, password: String, from origin: AuditOrigin) async throws
        -> SecretText
    {
        let time = now()
        guard let name = UserName(name) else { throw AccessError(.invalid, .name) }
        if let problem = PasswordRule.problem(with: password, of: name.text) { throw AccessError(.invalid, problem) }
        let isRight = state.withLock { state in
            guard state.users.isEmpty, state.setUp?.accepts(code, now: time) == true else { return false }
            // Good once: whoever comes second meanwhile finds none.
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
            StoredPerson(name: name.text, identity: name.text, isUser: true, groups: []), from: origin, replacing: nil)
    }

    // MARK: Passwords

    private func refuse(_ name: String, from origin: AuditOrigin, _ detail: String) {
        audit.record(
            .signIn, by: .anonymous, from: origin, subject: "user:\(name)", outcome: .refused, detail: detail)
    }

    /// Hashes a password.
    func hash(_ password: String) async throws -> PasswordHash {
        let (cost, salt) = (configuration.cost, random(16))
        do {
            return try await hashing.run { try PasswordHash(password, cost: cost, salt: salt) }
        } catch is WorkPool.Busy {
            throw AccessError(.unavailable, .busyHashing)
        }
    }

    /// Hashes a password anew that was hashed for less; a failure leaves it as it is.
    private func rehash(_ user: UserRecord, _ password: String) async {
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
