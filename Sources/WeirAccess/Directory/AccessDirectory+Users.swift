import Synchronization
import WeirStates

extension AccessDirectory {
    /// The users, by name.
    package var users: [UserRecord] { state.withLock { $0.users.values.sorted { $0.name < $1.name } } }

    /// Adds a user; where that is asked, only if there is none yet, at any server.
    package func addUser(
        _ name: String, password: String, roles: [StoredAssignment], by principal: Principal,
        from origin: AuditOrigin = .none, onlyAsFirst: Bool = false
    ) async throws {
        guard let name = UserName(name)?.text else { throw AccessError(.invalid, .name) }
        if let problem = PasswordRule.problem(with: password, of: name) { throw AccessError(.invalid, problem) }
        try check(roles)
        try requireNew(name)
        let hash = try await hash(password).description
        let time = now()
        let user = UserRecord(name: name, password: hash, roles: roles, createdAt: time, changedAt: time)
        let words = roles.map(\.role).joined(separator: ", ")
        try await change { [self] in
            try requireNew(name)
            guard !onlyAsFirst || hasNoUsers else { throw AccessError(.wrong, .wrongCode) }
            try await write([.put(user)], entry(.addUser, by: principal, from: origin, "user:\(name)", words))
            state.withLock { $0.users[name] = user }
            control.invalidate()
        }
    }

    private func requireNew(_ name: String) throws {
        guard state.withLock({ $0.users[name] == nil }) else {
            throw AccessError(.conflict, .takenName, ["name": .text(name)])
        }
    }

    /// Gives a user these roles in place of those they have.
    package func setRoles(
        _ roles: [StoredAssignment], of name: String, by principal: Principal, from origin: AuditOrigin = .none
    ) async throws {
        try check(roles)
        try await change { [self] in try await put(roles, of: try user(name), by: principal, from: origin) }
    }

    /// Gives a user another role, on what the present one is for.
    ///
    /// - Throws: `AccessError` also for a user with several roles, of which nobody can say which one is meant.
    package func setRole(
        _ role: String, of name: String, by principal: Principal, from origin: AuditOrigin = .none
    ) async throws {
        try await change { [self] in
            let user = try user(name)
            guard user.roles.count <= 1 else {
                throw AccessError(.conflict, .severalRoles, ["name": .text(user.name)])
            }
            var roles = user.roles.isEmpty ? [StoredAssignment(role: role)] : user.roles
            for index in roles.indices { roles[index].role = role }
            try check(roles)
            try await put(roles, of: user, by: principal, from: origin)
        }
    }

    private func put(
        _ roles: [StoredAssignment], of user: UserRecord, by principal: Principal, from origin: AuditOrigin
    ) async throws {
        try requireAdministrator(without: user.name, unless: roles)
        var changed = user
        changed.roles = roles
        let (stored, words) = (changed, roles.map(\.role).joined(separator: ", "))
        try await write([.put(stored)], entry(.changeRoles, by: principal, from: origin, "user:\(user.name)", words))
        state.withLock { $0.users[stored.name] = stored }
        control.invalidate()
    }

    /// Gives a user another password, and ends their sessions.
    package func setPassword(
        _ password: String, of name: String, by principal: Principal, from origin: AuditOrigin = .none
    ) async throws {
        let name = try user(name).name
        if let problem = PasswordRule.problem(with: password, of: name) { throw AccessError(.invalid, problem) }
        let hash = try await hash(password).description
        try await change { [self] in
            // As they are now: while it was hashed, their roles may have been changed, or they were removed.
            var user = try user(name)
            (user.password, user.changedAt) = (hash, now())
            let (changed, ended) = (user, sessions(of: name))
            try await write(
                [.put(changed)] + ended.map { .remove(kind: .session, id: $0) },
                entry(.changePassword, by: principal, from: origin, "user:\(name)"))
            state.withLock { state in
                state.users[name] = changed
                _ = state.sessions.end { ended.contains($0.hash) }
            }
            control.invalidate()
        }
    }

    private func sessions(of name: String) -> Set<String> {
        state.withLock { state in
            Set(state.sessions.sessions.values.filter { $0.person.isUser && $0.person.identity == name }.map(\.hash))
        }
    }

    /// Removes a user with all sessions; the tokens and links they made stop working.
    package func removeUser(
        _ name: String, by principal: Principal, from origin: AuditOrigin = .none
    ) async throws {
        try await change { [self] in try await remove(try user(name), by: principal, from: origin) }
    }

    private func remove(_ user: UserRecord, by principal: Principal, from origin: AuditOrigin) async throws {
        try requireAdministrator(without: user.name, unless: [])
        let ended = sessions(of: user.name)
        // A user of the same name who comes later must not take over what this one made.
        let (tokens, links) = state.withLock { state in
            let isTheirs = { (person: StoredPerson?) in person?.isUser == true && person?.identity == user.name }
            return (
                state.tokens.values.filter { isTheirs($0.maker) }.map(\.id),
                state.links.values.filter { isTheirs($0.maker) }.map(\.id)
            )
        }
        var changes: [StoredChange] = [
            .remove(kind: .user, id: user.name), .remove(kind: .views, id: user.principal.key),
        ]
        changes += ended.map { .remove(kind: .session, id: $0) }
        changes += tokens.map { .remove(kind: .token, id: $0) } + links.map { .remove(kind: .link, id: $0) }
        try await write(changes, entry(.removeUser, by: principal, from: origin, "user:\(user.name)"))
        state.withLock { state in
            (state.users[user.name], state.views[user.principal.key]) = (nil, nil)
            for id in tokens { state.tokens[id] = nil }
            for id in links { state.links[id] = nil }
            _ = state.sessions.end { ended.contains($0.hash) }
            state.index()
        }
        control.invalidate()
    }

    private func user(_ name: String) throws -> UserRecord {
        guard let key = UserName(name)?.text, let user = state.withLock({ $0.users[key] }) else {
            throw AccessError(.missing, .unknownUser)
        }
        return user
    }

    /// Somebody must be left who can give roles.
    private func requireAdministrator(without name: String, unless roles: [StoredAssignment]) throws {
        let rules = control.rules
        func administers(_ roles: [StoredAssignment]) -> Bool {
            let principal = Principal(.person, name: "", assignments: roles.map(\.assignment))
            return rules.permissions(of: principal, on: []).allows(.administer, on: .server)
        }
        let isOne = state.withLock { $0.users[name].map { administers($0.roles) } ?? false }
        guard isOne, !administers(roles) else { return }
        let others = state.withLock { $0.users.values.filter { $0.name != name && administers($0.roles) } }
        guard !others.isEmpty else {
            throw AccessError(.conflict, .lastAdministrator)
        }
    }

    /// Holds roles against those there are.
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
