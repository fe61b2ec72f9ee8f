import Synchronization

extension AccessDirectory {
    /// The tokens, the newest first; only a maker's own, if one is given.
    package func tokens(of identity: String? = nil) -> [TokenRecord] {
        state.withLock { state in
            state.tokens.values.filter { identity == nil || $0.maker?.identity == identity }
                .sorted { ($0.createdAt, $0.id) > ($1.createdAt, $1.id) }
        }
    }

    /// How many tokens and links there may be.
    static let limit = 10_000

    /// Makes a token, which is to be shown once.
    ///
    /// - Parameters:
    ///   - name: What it is for.
    ///   - roles: Its rights, which its maker's bound when it is used.
    ///   - days: After how many days it expires; nil for never.
    ///   - maker: Who makes it; the system for the command line.
    ///   - address: Where the request comes from.
    /// - Returns: The token, and what is kept of it.
    /// - Throws: `AccessError` with what to do.
    package func createToken(
        _ name: String, roles: [StoredAssignment], days: Int?, by maker: Principal, from address: String? = nil
    ) async throws -> (token: SecretText, record: TokenRecord) {
        guard VisibleName.isSound(name), name.unicodeScalars.count <= 100 else {
            throw AccessError(.invalid, "Name the token in one line of 1 to 100 visible characters: what it is for.")
        }
        guard !roles.isEmpty else { throw AccessError(.invalid, "Give the token a role.") }
        guard days.map({ (1...3_650).contains($0) }) ?? true else {
            throw AccessError(.invalid, "A token can be good for 1 to 3650 days.")
        }
        try check(roles)
        let person = try stored(maker)
        let token = SecretText(.token, bytes: random(32))
        let time = now()
        let record = TokenRecord(
            id: SecretText.shortID(random(10)), name: name, hash: token.hash, maker: person, roles: roles,
            createdAt: time,
            expiresAt: days.map { time + Int64($0) * 86_400_000 }, usedOn: nil)
        guard state.withLock({ $0.tokens.count < Self.limit && $0.tokens[record.id] == nil }) else {
            throw AccessError(.conflict, "There are \(Self.limit) tokens already. Revoke some that nobody uses.")
        }
        try await write([.put(record)])
        state.withLock { state in
            state.tokens[record.id] = record
            state.index()
        }
        audit.record(
            .createToken, by: maker, from: address, subject: "token:\(record.id)",
            detail: "\(name): \(roles.map(\.role).joined(separator: ", "))")
        return (token, record)
    }

    /// Revokes a token; one of somebody else's only where `anybody` is true.
    package func revokeToken(_ id: String, by principal: Principal, anybody: Bool, from address: String? = nil)
        async throws
    {
        let found = state.withLock { state -> Bool in
            guard let token = state.tokens[id], anybody || token.maker?.identity == principal.identity else {
                return false
            }
            state.tokens[id] = nil
            state.index()
            return true
        }
        guard found else { throw AccessError(.missing, "There is no such token.") }
        control.invalidate()
        try await write([.remove(kind: .token, id: id)])
        audit.record(.revokeToken, by: principal, from: address, subject: "token:\(id)")
    }

    // MARK: Links to one run

    /// The links that are good, the newest first; only those to one run, if one is given.
    package func links(to run: String? = nil) -> [LinkRecord] {
        let time = now()
        return state.withLock { state in
            state.links.values.filter { $0.expiresAt > time && (run == nil || $0.run == run) }
                .sorted { ($0.createdAt, $0.id) > ($1.createdAt, $1.id) }
        }
    }

    /// Makes a link to a run, which is to be shown once.
    ///
    /// That the maker may see the run is for the caller to check.
    package func createLink(
        to run: String, of operation: String, hours: Int, by maker: Principal, from address: String? = nil
    ) async throws -> (link: SecretText, record: LinkRecord) {
        guard (1...8_760).contains(hours) else {
            throw AccessError(.invalid, "A link can be good for 1 to 8760 hours.")
        }
        let person = try stored(maker)
        let link = SecretText(.link, bytes: random(32))
        let time = now()
        let record = LinkRecord(
            id: SecretText.shortID(random(10)), hash: link.hash, run: run, operation: operation, maker: person,
            createdAt: time, expiresAt: time + Int64(hours) * 3_600_000)
        guard state.withLock({ $0.links.count < Self.limit && $0.links[record.id] == nil }) else {
            throw AccessError(.conflict, "There are \(Self.limit) links already. Revoke some that nobody uses.")
        }
        try await write([.put(record)])
        state.withLock { state in
            state.links[record.id] = record
            state.index()
        }
        audit.record(.createLink, by: maker, from: address, subject: "run:\(run)", detail: record.id)
        return (link, record)
    }

    /// Revokes a link; one of somebody else's only where `anybody` is true.
    package func revokeLink(_ id: String, by principal: Principal, anybody: Bool, from address: String? = nil)
        async throws
    {
        let found = state.withLock { state -> LinkRecord? in
            guard let link = state.links[id], anybody || link.maker?.identity == principal.identity else { return nil }
            state.links[id] = nil
            state.index()
            return link
        }
        guard let found else { throw AccessError(.missing, "There is no such link.") }
        control.invalidate()
        try await write([.remove(kind: .link, id: id)])
        audit.record(.revokeLink, by: principal, from: address, subject: "run:\(found.run)", detail: id)
    }

    /// Who the holder of a link's secret is; nil for one that is unknown, expired or revoked.
    package func authorization(ofLink text: String) -> Authorization? {
        guard let link = SecretText(text, kind: .link), let id = state.withLock({ $0.linkIDs[link.hash] }),
            let principal = principal(of: .link(id))
        else { return nil }
        return control.authorize(principal, credential: .link(id))
    }

    /// A maker as tokens and links know them.
    ///
    /// A token makes no token, and a link no link.
    private func stored(_ maker: Principal) throws -> StoredPerson? {
        switch maker.kind {
        case .operator, .system: nil
        case .person:
            StoredPerson(
                name: maker.name, identity: maker.identity, isUser: configuration.mode == .password,
                groups: maker.groups.sorted())
        case .token, .link, .anonymous:
            throw AccessError(.invalid, "Only people can do this. Sign in first.")
        }
    }
}
