import Synchronization
import WeirStates

extension AccessDirectory {
    /// The users, sorted by name.
    package var users: [UserRecord] { state.withLock { $0.users.values.sorted { $0.name < $1.name } } }

    /// Adds a user; with `onlyAsFirst`, throws if any server has added one already.
    package func addUser(
        _ name: String, password: String, roles: [StoredAssignment], mustChange: Bool = false, by principal: Principal,
        from origin: AuditOrigin = .none, onlyAsFirst: Bool = false
    ) async throws {
        let name = try newName(name)
        if let problem = PasswordRule.problem(with: password, of: name) { throw AccessError(.invalid, problem) }
        try check(roles)
        try requireNew(name)
        let hash = try await hash(password).description
        let time = now()
        let user = UserRecord(name: name, password: hash, roles: roles, createdAt: time, changedAt: time)
        let words = "roles: \(roles.words)\(Self.words(mustChange: mustChange))"
        // Also replaces what an earlier version has left of a removed user with this name.
        let account = AccountRecord(name: name, changeDemandedAt: mustChange ? time : nil)
        try await change { [self] in
            try requireNew(name)
            guard !onlyAsFirst || hasNoUsers else { throw AccessError(.wrong, .wrongCode) }
            try await write(
                [.put(user), account.change], entry(.addUser, by: principal, from: origin, "user:\(name)", words))
            state.withLock { ($0.users[name], $0.accounts[name]) = (user, account) }
            control.invalidate()
        }
    }

    static func words(mustChange: Bool) -> String { mustChange ? "; must be changed at the next sign-in" : "" }

    /// The name of a new user; throws if it is malformed or names a part of the server.
    func newName(_ typed: String) throws -> String {
        guard let name = UserName(typed)?.text else { throw AccessError(.invalid, .name) }
        guard !ReservedName.isReserved(name) else { throw AccessError(.invalid, .reservedName, ["name": .text(name)]) }
        return name
    }

    func requireNew(_ name: String) throws {
        guard state.withLock({ $0.users[name] == nil }) else {
            throw AccessError(.conflict, .takenName, ["name": .text(name)])
        }
    }

    package func setRoles(
        _ roles: [StoredAssignment], of name: String, by principal: Principal, from origin: AuditOrigin = .none
    ) async throws {
        try check(roles)
        try await change { [self] in try await put(roles, of: try user(name), by: principal, from: origin) }
    }

    /// Replaces one role of a user and keeps the others.
    ///
    /// - Parameters:
    ///   - known: The role to replace, as ``StoredAssignment/words``; nil to add a role.
    ///   - role: The new role; nil to remove one.
    ///   - name: The user.
    ///   - principal: The principal that changes the role.
    ///   - origin: The origin of the request.
    /// - Throws: `AccessError` also if the user does not have the role to replace, or already has the new one.
    package func changeRole(
        _ known: String?, to role: StoredAssignment?, of name: String, by principal: Principal,
        from origin: AuditOrigin = .none
    ) async throws {
        try check([role].compactMap { $0 })
        try await change { [self] in
            let user = try user(name)
            var roles = user.roles
            if let known {
                guard let place = roles.firstIndex(where: { $0.words == known }) else {
                    throw AccessError(
                        .conflict, .changedRoles, ["name": .text(user.name), "role": "\(known.prefix(200))"])
                }
                if let role { roles[place] = role } else { roles.remove(at: place) }
            } else if let role {
                roles.append(role)
            }
            guard roles != user.roles else { return }
            if let role, roles.count(where: { $0 == role }) > 1 {
                throw AccessError(.conflict, .knownRole, ["name": .text(user.name), "role": .text(role.words)])
            }
            try await put(roles, of: user, by: principal, from: origin)
        }
    }

    private func put(
        _ roles: [StoredAssignment], of user: UserRecord, by principal: Principal, from origin: AuditOrigin
    ) async throws {
        try requireAdministrator(without: user.name, unless: roles)
        var changed = user
        changed.roles = roles
        let (stored, words) = (changed, "before: \(user.roles.words); after: \(roles.words)")
        // A link that the change voids must not become valid when the roles are set back.
        var account = state.withLock { $0.accounts[user.name] }
        let hadLink = account?.link != nil
        account?.link = nil
        let kept = hadLink ? account : nil
        try await write(
            [.put(stored)] + [kept].compactMap { try $0?.change },
            entry(.changeRoles, by: principal, from: origin, "user:\(user.name)", words))
        state.withLock { state in
            state.users[stored.name] = stored
            if let kept { state.accounts[kept.name] = kept }
        }
        control.invalidate()
    }

    /// Sets a user's password and ends their sessions; with `mustChange`, the user must change it at the next sign-in.
    package func setPassword(
        _ password: String, of name: String, mustChange: Bool = false, by principal: Principal,
        from origin: AuditOrigin = .none
    ) async throws {
        _ = try await setPassword(password, of: name, mustChange: mustChange, by: principal, from: origin) { _ in true }
    }

    /// Sets a user's password if `isRight` holds when the change runs, after hashing; returns the password as it is stored.
    private func setPassword(
        _ password: String, of name: String, mustChange: Bool = false, by principal: Principal,
        from origin: AuditOrigin, if isRight: @escaping @Sendable (DirectoryState) -> Bool
    ) async throws -> String {
        let name = try user(name).name
        if let problem = PasswordRule.problem(with: password, of: name) { throw AccessError(.invalid, problem) }
        let hash = try await hash(password)
        try await change { [self] in
            guard state.withLock({ isRight($0) }) else { throw AccessError(.invalid, .wrongPassword) }
            // Read again: the user may have been changed or removed during hashing.
            try await put(hash, of: try user(name), mustChange: mustChange, by: principal, from: origin)
        }
        return hash.description
    }

    /// Stores a password within a change; ends the user's sessions, the link to set it, and an earlier demand to change it.
    func put(
        _ hash: PasswordHash, of user: UserRecord, mustChange: Bool = false, by principal: Principal,
        from origin: AuditOrigin, _ way: String = ""
    ) async throws {
        var changed = user
        // Always later, because links and demands are bound to the time of the last change.
        (changed.password, changed.changedAt) = (hash.description, max(now(), user.changedAt &+ 1))
        let (stored, ended) = (changed, sessions(of: user.name))
        let account = AccountRecord(name: user.name, changeDemandedAt: mustChange ? stored.changedAt : nil)
        let words = "\(way)ended: \(ended.count) sessions\(Self.words(mustChange: mustChange))"
        try await write(
            [.put(stored), account.change] + ended.map { .remove(kind: .session, id: $0) },
            entry(.changePassword, by: principal, from: origin, "user:\(user.name)", words))
        state.withLock { state in
            (state.users[user.name], state.accounts[user.name]) = (stored, account)
            _ = state.sessions.end { ended.contains($0.hash) }
        }
        control.invalidate()
    }

    /// Sets a user's own password, ends all their sessions, and begins a new one.
    ///
    /// - Throws: `AccessError` if the current password is wrong, or the new one is refused.
    package func changePassword(
        of name: String, from current: String, to password: String, origin: AuditOrigin, mark: String?,
        during session: SecretText? = nil
    ) async throws -> SecretText {
        if let problem = PasswordRule.problem(with: password, of: name) { throw AccessError(.invalid, problem) }
        guard password != current else { throw AccessError(.invalid, .samePassword) }
        // Within the limits of sign-ins, so that they apply to guesses.
        let (user, attempt): (UserRecord, SignInAttempt)
        switch try await checkPassword(name, current, from: origin, mark: mark) {
        case .failed(.busy): throw AccessError(.unavailable, .busyHashing)
        case .failed(.throttled(let wait)): throw AccessError(after: wait)
        case .failed: throw AccessError(.invalid, .wrongPassword)
        case .right(let known, let counted): (user, attempt) = (known, counted)
        }
        state.withLock { $0.throttle.succeed(attempt) }
        let stored = try await setPassword(password, of: name, by: user.principal, from: origin) { state in
            // Another password may have been set, or the session of the request may have ended, during hashing.
            state.users[user.name]?.password == user.password
                && session.map { state.sessions.sessions[$0.hash] != nil } ?? true
        }
        // Another password can be set, or the user removed, before the session begins.
        let begun = try await begin(
            StoredPerson(user: user.name), from: origin, replacing: nil, isSignIn: false,
            if: { $0.users[user.name]?.password == stored })
        guard let begun else { throw AccessError(.invalid, .wrongPassword) }
        return begun
    }

    func sessions(of name: String) -> Set<String> {
        state.withLock { state in
            let key = PersonKey(isUser: true, identity: name)
            return Set(state.sessions.sessions.values.filter { $0.person.key == key }.map(\.hash))
        }
    }

    package func removeUser(
        _ name: String, by principal: Principal, from origin: AuditOrigin = .none
    ) async throws {
        try await change { [self] in try await remove(try user(name), by: principal, from: origin) }
    }

    private func remove(_ user: UserRecord, by principal: Principal, from origin: AuditOrigin) async throws {
        try requireAdministrator(without: user.name, unless: [])
        let ended = sessions(of: user.name)
        // A later user of the same name must not inherit tokens and links.
        let (tokens, links) = state.withLock { state in
            let key = PersonKey(isUser: true, identity: user.name)
            return (
                state.tokens.values.filter { $0.maker?.key == key }.map(\.id),
                state.links.values.filter { $0.maker?.key == key }.map(\.id)
            )
        }
        let views = keysOfViews(of: user)
        var changes: [StoredChange] = [.user, .account, .secondFactor].map { .remove(kind: $0, id: user.name) }
        changes += views.flatMap { [.remove(kind: .views, id: $0), .remove(kind: .presets, id: $0)] }
        changes += ended.map { .remove(kind: .session, id: $0) }
        changes += tokens.map { .remove(kind: .token, id: $0) } + links.map { .remove(kind: .link, id: $0) }
        let words =
            "before: \(user.roles.words); ended: \(ended.count) sessions, \(tokens.count) tokens, \(links.count) links"
        try await write(changes, entry(.removeUser, by: principal, from: origin, "user:\(user.name)", words))
        state.withLock { state in
            (state.users[user.name], state.accounts[user.name], state.factors[user.name]) = (nil, nil, nil)
            for key in views { (state.views[key], state.presets[key]) = (nil, nil) }
            for id in tokens { state.tokens[id] = nil }
            for id in links { state.links[id] = nil }
            _ = state.sessions.end { ended.contains($0.hash) }
            state.index()
        }
        control.invalidate()
    }

    func user(_ name: String) throws -> UserRecord {
        guard let key = UserName(name)?.text, let user = state.withLock({ $0.users[key] }) else {
            throw AccessError(.missing, .unknownUser)
        }
        return user
    }

    /// Throws if the change would leave no administrator.
    private func requireAdministrator(without name: String, unless roles: [StoredAssignment]) throws {
        let rules = control.rules
        func administers(_ roles: [StoredAssignment]) -> Bool {
            let principal = Principal(.person, name: "", assignments: roles.map(\.assignment))
            return rules.permissions(of: principal, on: []).allows(.administer, on: .server)
        }
        let isOne = state.withLock { $0.users[name].map { administers($0.roles) } ?? false }
        guard isOne, !administers(roles) else { return }
        let others = state.withLock { state in
            state.users.values.filter { $0.name != name && administers($0.roles) && !state.isInvited($0) }
        }
        guard !others.isEmpty else {
            throw AccessError(.conflict, .lastAdministrator)
        }
    }

    func check(_ roles: [StoredAssignment]) throws {
        let known = control.rules.roles
        for role in roles {
            guard known[role.role] != nil else {
                throw AccessError(
                    .invalid, .unknownRole,
                    [
                        "role": "\(role.role.prefix(64))",
                        "roles": .text(known.keys.sorted().joined(separator: ", ")),
                    ])
            }
            for tag in role.tags ?? [] where !SubjectSelection.isTag(tag) {
                throw AccessError(.invalid, .tag, ["tag": "\(tag.prefix(64))"])
            }
            for pattern in (role.operations ?? []) + (role.stores ?? []) where IDPattern(pattern) == nil {
                throw AccessError(.invalid, .pattern, ["pattern": "\(pattern.prefix(64))"])
            }
        }
    }
}

extension AccessDirectory {
    /// The saved views of a person's run list, as text; nil if none were ever saved.
    package func views(of person: Principal) -> String? {
        state.withLock { $0.views[keyOfViews(of: person)] ?? $0.views[person.key] }
    }

    private func keyOfViews(of person: Principal) -> String {
        person.kind == .person ? "\(key(of: person))" : person.key
    }

    /// The keys of a local user's views, with the one of earlier versions unless a person of an identity source has it.
    private func keysOfViews(of user: UserRecord) -> [String] {
        let key = "\(PersonKey(isUser: true, identity: user.name))"
        return state.withLock { $0.people[user.name] } == nil ? [key, user.principal.key] : [key]
    }

    /// Replaces a person's saved views.
    ///
    /// - Parameters:
    ///   - person: The owner.
    ///   - change: Returns the new text for the current one. Runs after earlier changes.
    /// - Throws: `AccessError` if storing fails, or an error of `change`; the views are then unchanged.
    package func changeViews(
        of person: Principal, _ change: @escaping @Sendable (String?) throws -> String
    ) async throws {
        try await self.change(.views, \.views, of: person, change)
    }

    /// The presets of forms that a person saved, as text; nil if none were ever saved.
    package func presets(of person: Principal) -> String? {
        state.withLock { $0.presets[keyOfViews(of: person)] }
    }

    /// Replaces a person's presets, as ``changeViews(of:_:)`` does with views.
    package func changePresets(
        of person: Principal, _ change: @escaping @Sendable (String?) throws -> String
    ) async throws {
        try await self.change(.presets, \.presets, of: person, change)
    }

    private func change(
        _ kind: StoredKind, _ texts: any WritableKeyPath<DirectoryState, [String: String]> & Sendable,
        of person: Principal,
        _ change: @escaping @Sendable (String?) throws -> String
    ) async throws {
        try await self.change { [self] in
            let key = keyOfViews(of: person)
            let text = try change(state.withLock { $0[keyPath: texts][key] })
            try await write([.put(kind, key, text)])
            state.withLock { $0[keyPath: texts][key] = text }
        }
    }
}

/// The name of a local user: 1 to 64 lower-case ASCII letters, digits, dots, hyphens, underscores or `@`.
///
/// The restricted alphabet prevents names that look alike.
struct UserName: Hashable, Sendable {
    let text: String

    /// Accepts a typed name, ignoring case; nil if it is invalid.
    init?(_ typed: String) {
        let text = typed.lowercased()
        guard (1...64).contains(text.utf8.count), text.utf8.allSatisfy(Self.isAllowed),
            text.utf8.first.map({ $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: ".") }) == true
        else { return nil }
        self.text = text
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."),
            UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "@"):
            true
        default: false
        }
    }
}
