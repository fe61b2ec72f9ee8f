import Synchronization
import WeirStates

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
    ///   - origin: Where the request comes from.
    /// - Returns: The token, and what is kept of it.
    /// - Throws: `AccessError` with what to do.
    package func createToken(
        _ name: String, roles: [StoredAssignment], days: Int?, by maker: Principal,
        from origin: AuditOrigin = .none
    ) async throws -> (token: SecretText, record: TokenRecord) {
        guard VisibleName.isSound(name), name.unicodeScalars.count <= 100 else {
            throw AccessError(.invalid, .tokenPurpose)
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
        let words = "\(name): \(roles.map(\.role).joined(separator: ", "))"
        try await change { [self] in
            try requireKnown(person)
            guard state.withLock({ $0.tokens.count < Self.limit && $0.tokens[record.id] == nil }) else {
                throw AccessError(.conflict, .tooManyTokens, ["limit": "\(Self.limit)"])
            }
            try await write([.put(record)], entry(.createToken, by: maker, from: origin, "token:\(record.id)", words))
            state.withLock { state in
                state.tokens[record.id] = record
                state.index()
            }
        }
        return (token, record)
    }

    /// Revokes a token; one of somebody else's only where `anybody` is true.
    package func revokeToken(_ id: String, by principal: Principal, anybody: Bool, from origin: AuditOrigin = .none)
        async throws
    {
        try await change { [self] in
            let token = state.withLock { $0.tokens[id] }
            guard let token, anybody || isMaker(principal, token.maker) else {
                throw AccessError(.missing, .unknownToken)
            }
            // Stored first: what could not be stored would be in force again after a restart, and nobody would know.
            try await write(
                [.remove(kind: .token, id: id)], entry(.revokeToken, by: principal, from: origin, "token:\(id)"))
            state.withLock { state in
                state.tokens[id] = nil
                state.index()
            }
            control.invalidate()
        }
    }

    /// Whoever was removed meanwhile leaves nothing behind for a user of the same name who comes later.
    func requireKnown(_ maker: StoredPerson?) throws {
        guard maker.map({ maker in state.withLock { $0.principal(of: maker) != nil } }) ?? true else {
            throw AccessError(.missing, .removedAccount)
        }
    }

    /// A maker as tokens and links know them.
    ///
    /// A token makes no token, and a link no link.
    func stored(_ maker: Principal) throws -> StoredPerson? {
        switch maker.kind {
        case .operator, .system: nil
        case .person:
            StoredPerson(
                name: maker.name, identity: maker.identity, isUser: configuration.mode == .password,
                groups: maker.groups.sorted())
        case .token, .link, .hook, .anonymous:
            throw AccessError(.invalid, .peopleOnly)
        }
    }
}
