import Logging
import Synchronization
import WeirStates

/// What a storage may fail at.
enum StorageUse: String {
    case reading = "read"
    case saving = "saved"
}

/// What is read from the storage and written to it.
extension AccessDirectory {
    /// How often a change is decided anew because another process has changed something meanwhile.
    private static let tries = 50

    /// Reads what others have changed in the storage.
    package func refresh() async throws { try await changes.run { try await self.readChanges() } }

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

    /// Uses the storage; says once in the log when that begins to fail, and once when it works again.
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
                    "Users and sessions cannot be \(use.rawValue). Whoever is signed in stays so.",
                    metadata: ["cause": "\(Quoted(error))"])
            }
            throw error
        }
    }

    // MARK: Changing

    /// Makes a change by what is in force: after those that were asked for before, and after those of other processes.
    ///
    /// If another process is quicker, `body` runs again by what it has changed, so it must do nothing before it writes, and
    /// write once.
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

    /// Writes, in a change; throws in words for a person when it cannot.
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

    /// Writes, in a change, and writes it down: in the storage with the change itself, where the audit is the server's.
    func write(_ changes: [StoredChange], _ entry: AuditEntry) async throws {
        guard leavesAudit else {
            try await write(changes)
            audit.record(entry)
            return
        }
        try await write(changes + [.put(.audit, SecretText.shortID(random(10)), entry.json(number: 0))])
    }

    // MARK: Looking

    /// What a look finds to be stored.
    private struct Due: Sendable {
        var sessions: [SessionRecord]
        var tokens: [TokenRecord]
        var ended: Set<String>
        var links: [String]

        /// Another process may have removed what was used here, and then it stays removed.
        func changes() throws -> [StoredChange] {
            try sessions.map { try .update($0) } + tokens.map { try .update($0) }
                + ended.map { .remove(kind: .session, id: $0) } + links.map { .remove(kind: .link, id: $0) }
        }
    }

    /// Reads what others have changed, stores what was used, ends what is over, and sees to the audit: to be called every
    /// half second or so.
    ///
    /// What cannot be stored is stored by a later look.
    package func tick() async {
        noticeExpiry()
        do {
            try await changes.run { [self] in
                do { try await readChanges() } catch {
                    // Time goes on without the storage.
                    endSessions()
                    throw error
                }
                // Not before: what is over here may have been used elsewhere while this process stood still.
                endSessions()
                if try !due().changes().isEmpty { try await attempt { [self] in try await store(due()) } }
            }
            try await takeOverAudit()
            try await keepAuditHead()
        } catch {
            // The log has it; or the server stops, and when a session was used last is written no more.
            _ = error
        }
        audit.tick()
    }

    /// Has rights looked at anew when a token or link has expired, also while a request goes on by it.
    private func noticeExpiry() {
        let time = now()
        let hasExpired = state.withLock { state in
            let ends = state.tokens.values.compactMap(\.expiresAt) + state.links.values.map(\.expiresAt)
            defer { state.lookedAt = time }
            return ends.contains { $0 > state.lookedAt && $0 <= time }
        }
        if hasExpired { control.invalidate() }
    }

    /// Ends sessions that are over.
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
                // One that was used elsewhere meanwhile is here again.
                ended: state.ended.filter { state.sessions.sessions[$0] == nil },
                links: state.links.values.filter { $0.expiresAt < time - 86_400_000 }.map(\.id))
        }
    }

    private func store(_ due: Due) async throws {
        let changes = try due.changes()
        if !changes.isEmpty { try await write(changes) }
        state.withLock { state in
            state.used.subtract(due.sessions.map(\.hash))
            state.used = state.used.filter { state.sessions.sessions[$0] != nil }
            state.usedTokens.subtract(due.tokens.map(\.id))
            state.usedTokens = state.usedTokens.filter { state.tokens[$0] != nil }
            state.ended = []
            for id in due.links { state.links[id] = nil }
            if !due.links.isEmpty { state.index() }
        }
    }

    /// Runs until the task is cancelled: looks every half second.
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
