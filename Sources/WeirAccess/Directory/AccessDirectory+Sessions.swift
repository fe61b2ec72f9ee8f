import Synchronization
import WeirStates

/// A person with everything that acts in their name.
package struct PersonAccess: Sendable {
    package let person: StoredPerson
    /// The short id of the person, for URLs.
    package let id: String
    /// The roles of a local user; empty for others, whose roles come from grants.
    package let roles: [StoredAssignment]
    /// The time at which the identity source last named the person, or of a local user's last use of a session; nil for never.
    package let seenAt: Int64?
    /// The end of the lease of the rights of tokens and links; nil for local users.
    package let leaseEnd: Int64?
    package let sessions: [SessionRecord]
    package let tokens: [TokenRecord]
    package let links: [LinkRecord]
}

extension AccessDirectory {
    /// All people: local users, and those that the identity source has named, sorted by name.
    package var people: [PersonAccess] {
        let time = now()
        return state.withLock { state in
            let sessions = Dictionary(grouping: state.sessions.sessions.values) { $0.person.key }
            let tokens = Dictionary(grouping: state.tokens.values) { $0.maker?.key }
            let links = Dictionary(grouping: state.links.values.filter { $0.isValid(now: time) }) { $0.maker?.key }
            func access(_ person: StoredPerson, _ roles: [StoredAssignment], namedAt: Int64?) -> PersonAccess {
                let own = (sessions[person.key] ?? []).filter { state.sessions.session($0.hash, now: time) != nil }
                return PersonAccess(
                    person: person, id: person.key.id, roles: roles,
                    seenAt: (own.map(\.usedAt) + [namedAt].compactMap { $0 }).max(),
                    leaseEnd: state.leaseEnd(of: person),
                    sessions: own.sorted { $0.usedAt > $1.usedAt }, tokens: tokens[person.key] ?? [],
                    links: links[person.key] ?? [])
            }
            let users = state.users.values.map { user in
                access(StoredPerson(user: user.name), user.roles, namedAt: nil)
            }
            return (users + state.people.all.map { access($0.person, [], namedAt: $0.namedAt) })
                .sorted { ($0.person.name, $0.person.identity) < ($1.person.name, $1.person.identity) }
        }
    }

    /// The sessions that have not ended, most recently used first; only those of one person if given.
    package func sessions(of principal: Principal? = nil) -> [SessionRecord] {
        let (time, owner) = (now(), principal.map(key))
        return state.withLock { state in
            state.sessions.sessions.values.filter {
                state.sessions.session($0.hash, now: time) != nil && configuration.knows($0.person)
                    && (owner == nil || $0.person.key == owner)
            }.sorted { ($0.usedAt, $0.hash) > ($1.usedAt, $1.hash) }
        }
    }

    /// Ends a session of the principal, or of anybody if the flag is set.
    package func endSession(_ id: String, by principal: Principal, anybody: Bool, from origin: AuditOrigin = .none)
        async throws
    {
        try await change { [self] in
            let session = state.withLock { $0.sessions.sessions.values.first { $0.id == id } }
            guard let session, anybody || isMaker(principal, session.person) else {
                throw AccessError(.missing, .unknownSession)
            }
            try await end([session], by: principal, from: origin)
        }
    }

    /// Ends the sessions that a sign-out at the identity provider concerns; returns their number.
    package func endSessions(of signOut: ProviderSignOut, from origin: AuditOrigin) async throws -> Int {
        try await change { [self] in
            let concerned = state.withLock { state in
                state.sessions.sessions.values.filter { session in
                    !session.person.isUser && (signOut.identity == nil || session.person.identity == signOut.identity)
                        && (signOut.session == nil || session.providerSession == signOut.session)
                }
            }
            guard !concerned.isEmpty else { return 0 }
            try await end(concerned, by: .system, from: origin, "signed out at the identity provider")
            return concerned.count
        }
    }

    private func end(
        _ sessions: [SessionRecord], by principal: Principal, from origin: AuditOrigin, _ words: String? = nil
    ) async throws {
        let entries = sessions.map { session in
            entry(
                .endSession, by: principal, from: origin, "\(session.person.key)",
                (["session \(session.id)"] + [words].compactMap { $0 }).joined(separator: "; "))
        }
        // Store first: a removal that is not stored would be undone silently by a restart.
        try await write(sessions.map { .remove(kind: .session, id: $0.hash) }, entries)
        let hashes = Set(sessions.map(\.hash))
        _ = state.withLock { $0.sessions.end { hashes.contains($0.hash) } }
        control.invalidate()
    }

    /// Ends all sessions, tokens and links of a person.
    ///
    /// A local user keeps the account. A person from an identity provider or a proxy can sign in again as long as that source
    /// names them.
    ///
    /// - Parameters:
    ///   - who: The short id, the identity, or the identity with its kind: `user:ana` or `person:ana`.
    ///   - principal: The principal that ends the access.
    ///   - origin: The origin of the request.
    /// - Returns: What was ended.
    /// - Throws: `AccessError` for an unknown person, for an identity that two people have, or if the storage fails.
    package func endAccess(of who: String, by principal: Principal, from origin: AuditOrigin = .none) async throws
        -> PersonAccess
    {
        try await change { [self] in
            let person = try person(who)
            let changes =
                person.sessions.map { StoredChange.remove(kind: .session, id: $0.hash) }
                + person.tokens.map { .remove(kind: .token, id: $0.id) }
                + person.links.map { .remove(kind: .link, id: $0.id) }
            var account = person.person.isUser ? state.withLock { $0.accounts[person.person.identity] } : nil
            let hasLink = account?.link != nil
            account?.link = nil
            let kept = account
            let words =
                "ended: \(person.sessions.count) sessions, \(person.tokens.count) tokens, \(person.links.count) links"
                + (hasLink ? ", the link to set the password" : "")
            let links = hasLink ? [try kept?.change].compactMap { $0 } : []
            try await write(
                changes + links, entry(.endAccess, by: principal, from: origin, "\(person.person.key)", words))
            let hashes = Set(person.sessions.map(\.hash))
            state.withLock { state in
                _ = state.sessions.end { hashes.contains($0.hash) }
                for token in person.tokens { state.tokens[token.id] = nil }
                for link in person.links { state.links[link.id] = nil }
                if let kept { state.accounts[kept.name] = kept }
                state.index()
            }
            control.invalidate()
            return person
        }
    }

    private func person(_ who: String) throws -> PersonAccess {
        let people = people
        if let person = people.first(where: { $0.id == who || "\($0.person.key)" == who }) { return person }
        let named = people.filter { $0.person.identity == who }
        guard let person = named.first else { throw AccessError(.missing, .unknownPerson) }
        guard named.count == 1 else { throw AccessError(.conflict, .twoPeople, ["identity": .text(who)]) }
        return person
    }
}
