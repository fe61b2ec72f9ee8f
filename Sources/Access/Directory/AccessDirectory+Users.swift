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
        try await write([.put(user)])
        state.withLock { $0.users[name] = user }
        control.invalidate()
        audit.record(
            .addUser, by: principal, from: address, subject: "user:\(name)",
            detail: roles.map(\.role).joined(separator: ", "))
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
        try await write([.put(user)])
        let changed = user
        state.withLock { $0.users[changed.name] = changed }
        control.invalidate()
        audit.record(
            .changeRoles, by: principal, from: address, subject: "user:\(user.name)",
            detail: roles.map(\.role).joined(separator: ", "))
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
        let ended = state.withLock { state in
            state.users[changed.name] = changed
            return state.sessions.end { $0.person.isUser && $0.person.identity == changed.name }
        }
        control.invalidate()
        try await write([.put(user)] + ended.map { .remove(kind: .session, id: $0) })
        audit.record(.changePassword, by: principal, from: address, subject: "user:\(user.name)")
    }

    /// Removes a user with all sessions; the tokens and links they made stop working.
    package func removeUser(_ name: String, by principal: Principal, from address: String? = nil) async throws {
        let user = try user(name)
        try requireAdministrator(without: user.name, unless: [])
        let ended = state.withLock { state in
            state.users[user.name] = nil
            return state.sessions.end { $0.person.isUser && $0.person.identity == user.name }
        }
        control.invalidate()
        try await write(
            [.remove(kind: .user, id: user.name)] + ended.map { .remove(kind: .session, id: $0) }
                + orphans(of: user.name))
        audit.record(.removeUser, by: principal, from: address, subject: "user:\(user.name)")
    }

    /// A user of the same name who comes later must not take over what this one made.
    private func orphans(of name: String) -> [StoredChange] {
        state.withLock { state in
            let isTheirs = { (person: StoredPerson?) in person?.isUser == true && person?.identity == name }
            let tokens = state.tokens.values.filter { isTheirs($0.maker) }.map(\.id)
            let links = state.links.values.filter { isTheirs($0.maker) }.map(\.id)
            for id in tokens { state.tokens[id] = nil }
            for id in links { state.links[id] = nil }
            state.index()
            return tokens.map { .remove(kind: .token, id: $0) } + links.map { .remove(kind: .link, id: $0) }
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
            for pattern in (role.operations ?? []) + (role.stores ?? []) where IDPattern(pattern) == nil {
                throw AccessError(
                    .invalid,
                    "\(String(pattern.prefix(64))) is no pattern of ids: use lower-case letters, digits, hyphens, * and ?."
                )
            }
        }
    }
}
