import Synchronization
import WeirStates

/// Links to one run, for somebody who has no account.
extension AccessDirectory {
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
    /// That the maker may see and export the run is for the caller to check.
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
            guard state.withLock({ $0.links.count < Self.limit && $0.links[record.id] == nil }) else {
                throw AccessError(.conflict, .tooManyLinks, ["limit": "\(Self.limit)"])
            }
            try await write([.put(record)], entry(.createLink, by: maker, from: origin, "run:\(run)", record.id))
            state.withLock { state in
                state.links[record.id] = record
                state.index()
            }
        }
        return (link, record)
    }

    /// Revokes a link to a run; one of somebody else's only where `anybody` is true.
    package func revokeLink(
        _ id: String, to run: String, by principal: Principal, anybody: Bool, from origin: AuditOrigin = .none
    ) async throws {
        try await change { [self] in
            let link = state.withLock { $0.links[id] }
            guard let link, link.run == run, anybody || isMaker(principal, link.maker) else {
                throw AccessError(.missing, .unknownLink)
            }
            try await write(
                [.remove(kind: .link, id: id)], entry(.revokeLink, by: principal, from: origin, "run:\(run)", id))
            state.withLock { state in
                state.links[id] = nil
                state.index()
            }
            control.invalidate()
        }
    }

    /// Whether a principal made what a record says that somebody made.
    ///
    /// What was made on the command line is nobody's here.
    package func isMaker(_ principal: Principal, _ maker: StoredPerson?) -> Bool {
        [.person, .operator].contains(principal.kind) && maker?.identity == principal.identity
    }

    /// Who the holder of a link's secret is; nil for one that is unknown, expired or revoked.
    package func authorization(ofLink text: String) -> Authorization? {
        let generation = control.generation
        guard let link = SecretText(text, kind: .link), let id = state.withLock({ $0.linkIDs[link.hash] }),
            let principal = principal(of: .link(id))
        else { return nil }
        return control.authorize(principal, credential: .link(id), asOf: generation)
    }
}
