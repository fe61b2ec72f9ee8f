import Synchronization

extension AccessDirectory {
    static let nameRule =
        "Choose a name of 1 to 64 lower-case letters, digits, dots, hyphens, underscores or @; it begins with a letter, digit, _ or @."

    /// The users, by name.
    package var users: [UserRecord] { state.withLock { $0.users.values.sorted { $0.name < $1.name } } }

    /// Adds a user.
    package func addUser(
        _ name: String, password: String, roles: [StoredAssignment], by principal: Principal,
        from address: String? = nil
    ) async throws {
        guard let name = UserName(name)?.text else { throw AccessError(.invalid, Self.nameRule) }
        if let problem = PasswordRule.problem(with: password, of: name) { throw AccessError(.invalid, problem) }
        try check(roles)
        try requireNew(name)
        let hash = try await hash(password).description
        let time = now()
        let user = UserRecord(name: name, password: hash, roles: roles, createdAt: time, changedAt: time)
        try requireNew(name)
        try await write(
            [.put(user)],
            entry(.addUser, by: principal, from: address, "user:\(name)", roles.map(\.role).joined(separator: ", ")))
        state.withLock { $0.users[name] = user }
        control.invalidate()
    }

    private func requireNew(_ name: String) throws {
        guard state.withLock({ $0.users[name] == nil }) else {
            throw AccessError(
                .conflict, "There is a user \(name) already. Choose another name, or remove that one first.")
        }
    }

    /// Gives a user these roles in place of those they have.
    package func setRoles(
        _ roles: [StoredAssignment], of name: String, by principal: Principal, from address: String? = nil
    ) async throws {
        try check(roles)
        var user = try user(name)
        try requireAdministrator(without: user.name, unless: roles)
        user.roles = roles
        let words = roles.map(\.role).joined(separator: ", ")
        try await write([.put(user)], entry(.changeRoles, by: principal, from: address, "user:\(user.name)", words))
        let changed = user
        state.withLock { $0.users[changed.name] = changed }
        control.invalidate()
    }

    /// Gives a user another password, and ends their sessions.
    package func setPassword(
        _ password: String, of name: String, by principal: Principal, from address: String? = nil
    ) async throws {
        var user = try user(name)
        if let problem = PasswordRule.problem(with: password, of: user.name) { throw AccessError(.invalid, problem) }
        user.password = try await hash(password).description
        user.changedAt = now()
        let changed = user
        let ended = sessions(of: changed.name)
        try await write(
            [.put(changed)] + ended.map { .remove(kind: .session, id: $0) },
            entry(.changePassword, by: principal, from: address, "user:\(changed.name)"))
        try await endSessions(of: changed.name, besides: ended) { $0.users[changed.name] = changed }
    }

    private func sessions(of name: String) -> Set<String> {
        state.withLock { state in
            Set(state.sessions.sessions.values.filter { $0.person.isUser && $0.person.identity == name }.map(\.hash))
        }
    }

    /// Ends a user's sessions with a change, after both were stored; also those that began meanwhile.
    private func endSessions(
        of name: String, besides stored: Set<String>, _ change: (inout DirectoryState) -> Void
    ) async throws {
        let ended = state.withLock { state in
            change(&state)
            return state.sessions.end { $0.person.isUser && $0.person.identity == name }
        }
        control.invalidate()
        let late = ended.filter { !stored.contains($0) }
        if !late.isEmpty { try await write(late.map { .remove(kind: .session, id: $0) }) }
    }

    /// Removes a user with all sessions; the tokens and links they made stop working.
    package func removeUser(_ name: String, by principal: Principal, from address: String? = nil) async throws {
        let user = try user(name)
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
        var changes: [StoredChange] = [.remove(kind: .user, id: user.name)]
        changes += ended.map { .remove(kind: .session, id: $0) }
        changes += tokens.map { .remove(kind: .token, id: $0) } + links.map { .remove(kind: .link, id: $0) }
        try await write(changes, entry(.removeUser, by: principal, from: address, "user:\(user.name)"))
        try await endSessions(of: user.name, besides: ended) { state in
            state.users[user.name] = nil
            for id in tokens { state.tokens[id] = nil }
            for id in links { state.links[id] = nil }
            state.index()
        }
    }

    private func user(_ name: String) throws -> UserRecord {
        guard let key = UserName(name)?.text, let user = state.withLock({ $0.users[key] }) else {
            throw AccessError(.missing, "There is no such user.")
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
            throw AccessError(.conflict, "This is the last administrator. Make somebody else one first.")
        }
    }

    /// Holds roles against those there are.
    func check(_ roles: [StoredAssignment]) throws {
        let known = control.rules.roles
        for role in roles {
            guard known[role.role] != nil else {
                throw AccessError(
                    .invalid,
                    "There is no role \(String(role.role.prefix(64))). The roles are \(known.keys.sorted().joined(separator: ", "))."
                )
            }
            for tag in role.tags ?? [] where !SubjectSelection.isTag(tag) {
                throw AccessError(
                    .invalid, "\(String(tag.prefix(64))) is no tag: use lower-case letters, digits and hyphens.")
            }
            for pattern in (role.operations ?? []) + (role.stores ?? []) where IDPattern(pattern) == nil {
                throw AccessError(
                    .invalid,
                    "\(String(pattern.prefix(64))) is no pattern of ids: use lower-case letters, digits, hyphens, * and ?."
                )
            }
        }
    }
}
