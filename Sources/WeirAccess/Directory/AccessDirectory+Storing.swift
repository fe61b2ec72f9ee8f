import Logging
import Synchronization
import WeirStates

/// The operations of the storage whose failures are tracked.
enum StorageUse: String {
    case reading = "read"
    case saving = "saved"
}

extension AccessDirectory {
    /// The maximum number of attempts for a change that conflicts with other processes.
    private static let tries = 50

    /// Reads changes of other processes from the storage.
    func refresh() async throws { try await changes.run { try await self.readChanges() } }

    private func readChanges() async throws {
        let news = try await using(.reading) { try await storage.news(since: state.withLock { $0.version }) }
        guard let news else { return }
        let taken = state.withLock { $0.take(news) }
        if taken.unreadable > 0 {
            logger.error(
                "Some records of users, tokens or sessions cannot be read and have no effect.",
                metadata: ["records": "\(taken.unreadable)"])
        }
        if taken.losesUsers {
            logger.error(
                """
                There are no users any more. If nobody has removed the last one, access.sqlite in the data folder, or the \
                tables in the database, were emptied: stop the server, put a copy back, and start it again.
                """)
        }
        if taken.changesRights { control.invalidate() }
    }

    /// Performs an operation of the storage; logs the first failure and the recovery.
    private func using<Result>(_ use: StorageUse, _ body: () async throws -> Result) async throws -> Result {
        do {
            let result = try await body()
            if state.withLock({ $0.failing.remove(use) }) != nil {
                logger.notice("Users and sessions can be \(use.rawValue) again.")
            }
            return result
        } catch let error as StoredConflict {
            throw error
        } catch let error as CancellationError {
            throw error
        } catch {
            if state.withLock({ $0.failing.insert(use).inserted }) {
                logger.error(
                    "Users and sessions cannot be \(use.rawValue). Signed-in users stay signed in.",
                    metadata: ["cause": "\(Quoted(error))"])
            }
            throw error
        }
    }

    // MARK: Changing

    /// Performs a change after all earlier ones, on top of the latest state of the storage.
    ///
    /// On a conflict with another process, `body` runs again. It must therefore have no side effects before its write, and
    /// write at most once.
    func change<Result: Sendable>(_ body: @escaping @Sendable () async throws -> Result) async throws -> Result {
        try await changes.run { try await self.attempt(body) }
    }

    private func attempt<Result: Sendable>(_ body: @Sendable () async throws -> Result) async throws -> Result {
        for _ in 0..<Self.tries {
            do {
                try await readChanges()
            } catch {
                throw AccessError.storage
            }
            do { return try await body() } catch is StoredConflict { continue }
        }
        logger.error("Users and sessions cannot be saved, as others change them without end.")
        throw AccessError.storage
    }

    /// Writes within a change; throws `AccessError` if the storage fails.
    func write(_ changes: [StoredChange]) async throws {
        let known = state.withLock { $0.version } ?? 0
        do {
            let version = try await using(.saving) { try await storage.write(changes, after: known) }
            state.withLock { $0.version = version }
        } catch let error as StoredConflict {
            throw error
        } catch {
            throw AccessError.storage
        }
    }

    /// Writes within a change and audits it; if the audit belongs to a server, the entry is stored together with the change.
    func write(_ changes: [StoredChange], _ entry: AuditEntry) async throws { try await write(changes, [entry]) }

    func write(_ changes: [StoredChange], _ entries: [AuditEntry]) async throws {
        guard leavesAudit else {
            try await write(changes)
            for entry in entries { audit.record(entry) }
            return
        }
        let left = try entries.map {
            try StoredChange.put(.audit, SecretText.shortID(random(10)), $0.json(number: 0))
        }
        try await write(changes + left)
    }

    // MARK: Looking

    private struct Due: Sendable {
        var sessions: [SessionRecord]
        var tokens: [TokenRecord]
        var ended: Set<String>
        var links: [String]
        var named: [PersonRecord]
        var forgotten: [String]

        /// Uses `update`, which does not restore records that another process removed.
        func changes() throws -> [StoredChange] {
            try sessions.map { try .update($0) } + tokens.map { try .update($0) }
                + ended.map { .remove(kind: .session, id: $0) } + links.map { .remove(kind: .link, id: $0) }
                + named.map { try .put($0) } + forgotten.map { .remove(kind: .person, id: $0) }
        }
    }

    /// Reads changes, stores last uses, ends expired sessions and maintains the audit.
    ///
    /// Call about every half second.
    ///
    /// Writes that fail are retried by a later tick.
    package func tick() async {
        noticeExpiry()
        do {
            try await changes.run { [self] in
                do { try await readChanges() } catch {
                    // Sessions expire even if the storage fails.
                    endSessions()
                    throw error
                }
                // After reading: a session that expired here may have been used elsewhere.
                endSessions()
                if try !due().changes().isEmpty { try await attempt { [self] in try await store(due()) } }
            }
            try await takeOverAudit()
            try await keepAuditHead()
        } catch {
            // Failures are logged already. On cancellation, the last uses are not stored.
            _ = error
        }
        audit.tick()
    }

    /// Starts a new generation when a token, a link or the lease of a maker ends, which also ends open requests.
    private func noticeExpiry() {
        let time = now()
        let hasExpired = state.withLock { state in
            let makers = Set(state.tokens.values.compactMap(\.maker) + state.links.values.compactMap(\.maker))
            let ends =
                state.tokens.values.compactMap(\.expiresAt) + state.links.values.map(\.expiresAt)
                + makers.compactMap { state.leaseEnd(of: $0) }
            defer { state.lookedAt = time }
            return ends.contains { $0 > state.lookedAt && $0 <= time }
        }
        if hasExpired { control.invalidate() }
    }

    private func endSessions() {
        let time = now()
        let over = state.withLock { state in
            let over = state.sessions.tidy(now: time)
            state.ended.formUnion(over)
            return over
        }
        if !over.isEmpty { control.invalidate() }
    }

    private func due() -> Due {
        let time = now()
        return state.withLock { state in
            Due(
                sessions: state.used.compactMap { state.sessions.sessions[$0] },
                tokens: state.usedTokens.compactMap { state.tokens[$0] },
                // A session used elsewhere in the meantime exists again.
                ended: state.ended.filter { state.sessions.sessions[$0] == nil },
                links: state.links.values.filter { $0.expiresAt < time - 86_400_000 }.map(\.id),
                named: state.namedPeople.compactMap { state.people[$0] },
                forgotten: state.forgottenPeople(before: time - Self.remembered))
        }
    }

    /// The time for which people without tokens, links and sessions are listed after they were last named, in milliseconds.
    private static let remembered: Int64 = 90 * 86_400_000

    private func store(_ due: Due) async throws {
        let changes = try due.changes()
        if !changes.isEmpty { try await write(changes) }
        state.withLock { state in
            state.used.subtract(due.sessions.map(\.hash))
            state.used = state.used.filter { state.sessions.sessions[$0] != nil }
            state.usedTokens.subtract(due.tokens.map(\.id))
            state.usedTokens = state.usedTokens.filter { state.tokens[$0] != nil }
            state.ended = []
            // Not those that were named with other groups in between.
            for record in due.named where state.people[record.person.identity] == record {
                state.namedPeople.remove(record.person.identity)
            }
            for identity in due.forgotten { _ = state.people.remove(identity) }
            state.namedPeople = state.namedPeople.filter { state.people[$0] != nil }
            for id in due.links { state.links[id] = nil }
            if !due.links.isEmpty { state.index() }
        }
    }

    /// Calls ``tick()`` every half second until the task is cancelled.
    package func watch() async {
        while !Task.isCancelled {
            await tick()
            do {
                try await Task.sleep(for: .milliseconds(500))
            } catch {
                return
            }
        }
    }
}
