import Synchronization
import WeirStates

extension AccessDirectory {
    /// The tokens, newest first; only those of one maker if given.
    package func tokens(of maker: Principal? = nil) -> [TokenRecord] {
        state.withLock { state in
            state.tokens.values.filter { token in maker.map { isMaker($0, token.maker) } ?? true }
                .sorted { ($0.createdAt, $0.id) > ($1.createdAt, $1.id) }
        }
    }

    /// Creates a token and returns its secret, which is not stored.
    ///
    /// - Parameters:
    ///   - name: Its purpose.
    ///   - roles: Its roles. When used, its permissions are also limited to its maker's.
    ///   - days: The number of days until it expires; nil for never.
    ///   - maker: The principal that creates it; `system` for the command line.
    ///   - origin: The origin of the request.
    /// - Returns: The secret and the stored record.
    /// - Throws: `AccessError` with a message for the maker.
    package func createToken(
        _ name: String, roles: [StoredAssignment], days: Int?, by maker: Principal,
        from origin: AuditOrigin = .none
    ) async throws -> (token: SecretText, record: TokenRecord) {
        guard VisibleName.isSound(name), name.unicodeScalars.count <= 100 else {
            throw AccessError(.invalid, .tokenPurpose)
        }
        guard !ReservedName.isReserved(forToken: name) else {
            throw AccessError(.invalid, .reservedName, ["name": .text(name)])
        }
        guard !roles.isEmpty else { throw AccessError(.invalid, .tokenRole) }
        guard days.map({ (1...3_650).contains($0) }) ?? true else {
            throw AccessError(.invalid, .tokenDays)
        }
        try check(roles)
        let person = try stored(maker)
        let token = SecretText(.token, bytes: random(32))
        let time = now()
        let record = TokenRecord(
            id: SecretText.shortID(random(10)), name: name, hash: token.hash, maker: person, roles: roles,
            createdAt: time,
            expiresAt: days.map { time + Int64($0) * 86_400_000 }, usedOn: nil)
        try requireWithin(maker, roles)
        let words = "“\(name)”; roles: \(roles.words); \(days.map { "expires after \($0) days" } ?? "never expires")"
        try await change { [self] in
            try requireKnown(person)
            let (shares, made) = (configuration.shares, state.withLock { $0.tokens.values.map(\.maker) })
            guard made.count < shares.all, state.withLock({ $0.tokens[record.id] == nil }) else {
                throw AccessError(.conflict, .tooManyTokens, ["limit": "\(shares.all)"])
            }
            try requireShare(of: person, made, shares.tokensOfOne, .tooManyOwnTokens)
            try await write([.put(record)], entry(.createToken, by: maker, from: origin, "token:\(record.id)", words))
            state.withLock { state in
                state.tokens[record.id] = record
                state.index()
            }
        }
        return (token, record)
    }

    /// Revokes a token of the principal, or of any maker if the flag is set.
    package func revokeToken(_ id: String, by principal: Principal, anybody: Bool, from origin: AuditOrigin = .none)
        async throws
    {
        try await change { [self] in
            let token = state.withLock { $0.tokens[id] }
            guard let token, anybody || isMaker(principal, token.maker) else {
                throw AccessError(.missing, .unknownToken)
            }
            // Store first: a removal that is not stored would be undone silently by a restart.
            try await write(
                [.remove(kind: .token, id: id)],
                entry(.revokeToken, by: principal, from: origin, "token:\(id)", token.summary))
            state.withLock { state in
                state.tokens[id] = nil
                state.index()
            }
            control.invalidate()
        }
    }

    /// Throws if the maker was removed, so that no record outlives them and belongs to a later user of the same name.
    func requireKnown(_ maker: StoredPerson?) throws {
        guard let maker else { return }
        let time = now()
        guard state.withLock({ $0.principal(of: maker, now: time) == nil }) else { return }
        throw maker.isUser ? AccessError(.missing, .removedAccount) : AccessError(.conflict, .leaseOver)
    }

    /// Throws if the maker has its share of tokens or links.
    private func requireShare(
        of maker: StoredPerson?, _ made: [StoredPerson?], _ share: Int, _ wording: AccessWording
    ) throws {
        guard let maker, made.count(where: { $0?.key == maker.key }) >= share
        else { return }
        throw AccessError(.conflict, wording, ["limit": "\(share)"])
    }

    /// Throws if roles include a verb on a subject that the maker does not have.
    private func requireWithin(_ maker: Principal, _ roles: [StoredAssignment]) throws {
        guard maker.kind == .person else { return }
        let own = control.authorize(maker).permissions
        for role in roles {
            let wanted = control.authorize(Principal(.token, name: "", assignments: [role.assignment])).permissions
            guard own.isSuperset(of: wanted) else {
                throw AccessError(.invalid, .roleBeyondMaker, ["role": .text(role.words)])
            }
        }
    }

    /// The maker as stored in tokens and links; nil for the operator and the system.
    ///
    /// Throws for tokens and links, which cannot create others.
    func stored(_ maker: Principal) throws -> StoredPerson? {
        switch maker.kind {
        case .operator, .system: nil
        case .person:
            StoredPerson(
                name: maker.name, identity: maker.identity, isUser: key(of: maker).isUser,
                groups: maker.groups.sorted())
        case .token, .link, .hook, .anonymous:
            throw AccessError(.invalid, .peopleOnly)
        }
    }
}

extension AccessDirectory {
    /// The valid links, newest first; only those to `run` if given.
    package func links(to run: String? = nil) -> [LinkRecord] {
        let time = now()
        return state.withLock { state in
            state.links.values.filter { $0.isValid(now: time) && (run == nil || $0.run == run) }
                .sorted { ($0.createdAt, $0.id) > ($1.createdAt, $1.id) }
        }
    }

    /// Creates a link to a run and returns its secret, which is not stored.
    ///
    /// The caller checks that the maker can see and export the run.
    package func createLink(
        to run: String, of operation: String, hours: Int, by maker: Principal, from origin: AuditOrigin = .none
    ) async throws -> (link: SecretText, record: LinkRecord) {
        guard (1...8_760).contains(hours) else {
            throw AccessError(.invalid, .linkHours)
        }
        if case .none = configuration.mode {
            throw AccessError(.conflict, .linkUnneeded)
        }
        let person = try stored(maker)
        let link = SecretText(.link, bytes: random(32))
        let time = now()
        let record = LinkRecord(
            id: SecretText.shortID(random(10)), hash: link.hash, run: run, operation: operation, maker: person,
            createdAt: time, expiresAt: time + Int64(hours) * 3_600_000)
        try await change { [self] in
            try requireKnown(person)
            let (shares, made) = (configuration.shares, state.withLock { $0.links.values.map(\.maker) })
            guard made.count < shares.all, state.withLock({ $0.links[record.id] == nil }) else {
                throw AccessError(.conflict, .tooManyLinks, ["limit": "\(shares.all)"])
            }
            try requireShare(of: person, made, shares.linksOfOne, .tooManyOwnLinks)
            try await write(
                [.put(record)],
                entry(.createLink, by: maker, from: origin, "run:\(run)", "\(record.id); expires after \(hours) hours"))
            state.withLock { state in
                state.links[record.id] = record
                state.index()
            }
        }
        return (link, record)
    }

    /// Revokes a link of the principal, or of any maker if the flag is set.
    package func revokeLink(
        _ id: String, to run: String? = nil, by principal: Principal, anybody: Bool, from origin: AuditOrigin = .none
    ) async throws {
        try await change { [self] in
            let link = state.withLock { $0.links[id] }
            guard let link, run == nil || link.run == run, anybody || isMaker(principal, link.maker) else {
                throw AccessError(.missing, .unknownLink)
            }
            try await write(
                [.remove(kind: .link, id: id)],
                entry(.revokeLink, by: principal, from: origin, "run:\(link.run)", "\(id); \(link.maker.words)"))
            state.withLock { state in
                state.links[id] = nil
                state.index()
            }
            control.invalidate()
        }
    }

    /// Returns whether a principal created a record with the given maker.
    ///
    /// Records created on the command line have no maker here.
    package func isMaker(_ principal: Principal, _ maker: StoredPerson?) -> Bool {
        principal.kind == .person && maker?.key == key(of: principal)
    }

    /// The key of a signed-in person's records; the mode tells local users from others.
    func key(of person: Principal) -> PersonKey {
        PersonKey(isUser: configuration.mode == .password, identity: person.identity)
    }

    /// The authorization of a link's secret, or nil if the link is unknown, expired or revoked.
    package func authorization(ofLink text: String) -> Authorization? {
        let generation = control.generation
        guard let link = SecretText(text, kind: .link), let id = state.withLock({ $0.linkIDs[link.hash] }),
            let principal = principal(of: .link(id))
        else { return nil }
        return control.authorize(principal, credential: .link(id), asOf: generation)
    }
}
