package import Logging
import States
import Synchronization

/// Who there is: users, tokens, links and sessions, all in memory and kept in a storage, and who a request comes from.
///
/// Asking costs no query. Every change begins a new generation of the ``AccessControl``, so that requests in flight see it;
/// what another process changes in the storage is noticed by `refresh()`.
package final class AccessDirectory: Sendable {
    /// The rules, and who may do what by them.
    package let control: AccessControl
    /// Where it is written down who signed in and who changed what.
    package let audit: AuditLog
    /// How people are known.
    package let configuration: AccessConfiguration

    let storage: any AccessStorage
    let state: Mutex<DirectoryState>
    let hashing: WorkLimit
    let now: @Sendable () -> Int64
    let random: @Sendable (Int) -> [UInt8]
    let decoy: PasswordHash
    let logger: Logger
    /// Whether entries of the audit are left in the storage, for the server to write.
    let leavesAudit: Bool
    private let changes = ChangeQueue()

    /// Opens the directory.
    ///
    /// - Parameters:
    ///   - configuration: How people are known.
    ///   - control: The rules. It asks this directory for whom it does not know.
    ///   - storage: Where everything is kept.
    ///   - audit: Where it is written down.
    ///   - leavesAudit: Whether entries are left in the storage instead, together with the change they are about: for
    ///     commands, as only the server may extend the audit's chain.
    ///   - now: The time in milliseconds since 1970.
    ///   - random: So many random bytes.
    ///   - logger: Says what cannot be read.
    /// - Throws: What the storage throws.
    package init(
        _ configuration: AccessConfiguration, control: AccessControl, storage: any AccessStorage, audit: AuditLog,
        leavesAudit: Bool = false,
        now: @escaping @Sendable () -> Int64 = AuditLog.time,
        random: @escaping @Sendable (Int) -> [UInt8] = SecretText.random,
        logger: Logger = Logger(label: "weir.access")
    ) async throws {
        self.configuration = configuration
        self.control = control
        self.storage = storage
        self.audit = audit
        self.leavesAudit = leavesAudit
        self.now = now
        self.random = random
        self.logger = logger
        hashing = WorkLimit()
        state = Mutex(DirectoryState(configuration))
        // Nobody's: what is hashed where there is no such user, so that it takes as long.
        decoy = try PasswordHash(Hex(random(16)).text, cost: configuration.cost, salt: random(16))
        try await refresh()
        try await takeOverAudit()
        if state.withLock({ $0.instance.isEmpty }) {
            let instance = SecretText.shortID(random(8))
            try await write([.put(.setting, "instance", instance)])
            state.withLock { $0.instance = instance }
        }
        control.look(up: { [weak self] in self?.principal(of: $0) })
    }

    /// Reads the storage again if somebody else has changed it.
    package func refresh() async throws { try await changes.run { try await self.readChanges() } }

    private func readChanges() async throws {
        let version = try await storage.version()
        guard state.withLock({ $0.version != version }) else { return }
        let records = try await storage.read()
        let unreadable = state.withLock { state in
            state.version = version
            return state.take(records, now: now())
        }
        if unreadable > 0 {
            logger.error(
                "Some records of users, tokens or sessions cannot be read and have no effect.",
                metadata: ["records": "\(unreadable)"])
        }
        control.invalidate()
    }

    /// What a look finds to be stored.
    private struct Due: Sendable {
        var sessions: [SessionRecord]
        var tokens: [TokenRecord]
        var removals: [StoredChange]
        var isOver: Bool

        /// Another process may have removed what was used here, and then it stays removed.
        func changes() throws -> [StoredChange] {
            try sessions.map { try .update($0) } + tokens.map { try .update($0) } + removals
        }
    }

    /// Stores what was used, ends what is over, and sees to the audit: to be called every half second or so.
    package func tick() async {
        let due = due()
        if due.isOver { control.invalidate() }
        do {
            try await changes.run {
                try await self.readChanges()
                let changes = try due.changes()
                if !changes.isEmpty { try await self.storage.write(changes) }
            }
            try await takeOverAudit()
        } catch is CancellationError {
            // The server stops; when a session was used last is written no more.
        } catch {
            logger.error("Users and sessions cannot be read or saved.", metadata: ["cause": "\(Quoted(error))"])
        }
        audit.tick()
    }

    private func due() -> Due {
        let time = now()
        return state.withLock { state in
            let over = state.sessions.tidy(now: time)
            let expired = state.links.values.filter { $0.expiresAt < time - 86_400_000 }.map(\.id)
            // Also what expires while a request goes on by it.
            let ends = state.tokens.values.compactMap(\.expiresAt) + state.links.values.map(\.expiresAt)
            let hasExpired = ends.contains { $0 > state.lookedAt && $0 <= time }
            let due = Due(
                sessions: state.used.compactMap { state.sessions.sessions[$0] },
                tokens: state.usedTokens.compactMap { state.tokens[$0] },
                removals: over.map { .remove(kind: .session, id: $0) } + expired.map { .remove(kind: .link, id: $0) },
                isOver: !over.isEmpty || hasExpired)
            (state.used, state.usedTokens, state.lookedAt) = ([], [], time)
            for id in expired { state.links[id] = nil }
            if !expired.isEmpty { state.index() }
            return due
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

    /// Makes a change by what is in force: after those that were asked for before, and after those of other processes.
    func change<Result: Sendable>(_ body: @escaping @Sendable () async throws -> Result) async throws -> Result {
        try await changes.run {
            do {
                try await self.readChanges()
            } catch {
                self.logger.error("Users and sessions cannot be read.", metadata: ["cause": "\(Quoted(error))"])
                throw AccessError.storage
            }
            return try await body()
        }
    }

    /// Writes, and says so in words for a person when it cannot.
    func write(_ changes: [StoredChange]) async throws {
        do {
            try await storage.write(changes)
        } catch {
            logger.error("Users and sessions cannot be saved.", metadata: ["cause": "\(Quoted(error))"])
            throw AccessError.storage
        }
    }

    /// Makes a change and writes it down: in the storage with the change itself, where the audit is the server's.
    func write(_ changes: [StoredChange], _ entry: AuditEntry) async throws {
        guard leavesAudit else {
            try await write(changes)
            audit.record(entry)
            return
        }
        try await write(changes + [.put(.audit, SecretText.shortID(random(10)), entry.json(number: 0))])
    }

    /// What somebody changed, for the audit.
    func entry(
        _ action: AuditAction, by principal: Principal, from origin: AuditOrigin, _ subject: String,
        _ detail: String? = nil
    ) -> AuditEntry {
        AuditEntry(
            at: now(), principal: principal, address: leavesAudit ? "command line" : origin.address, action,
            subject: subject, request: origin.request, detail: detail)
    }

    /// Writes what commands left into the audit, and removes it from the storage once it is written.
    private func takeOverAudit() async throws {
        guard !leavesAudit else { return }
        let (fresh, ids) = state.withLock { state in
            let fresh = state.leftEntries.filter { !state.takenOver.contains($0.key) }
            state.takenOver.formUnion(fresh.keys)
            return (fresh, state.takenOver)
        }
        guard !ids.isEmpty else { return }
        for (_, entry) in fresh.sorted(by: { ($0.value.at, $0.key) < ($1.value.at, $1.key) }) { audit.record(entry) }
        guard await audit.flush() else { return }
        try await storage.write(ids.map { .remove(kind: .audit, id: $0) })
        state.withLock { state in
            for id in ids { state.leftEntries[id] = nil }
            state.takenOver.subtract(ids)
        }
    }

    /// The address that a request comes from: the connection's, or what trusted proxies say it was.
    package func address(peer: String?, forwardedFor values: [String]) -> String? {
        guard let peer, let direct = NetworkAddress(peer), isTrusted(direct) else { return peer }
        let hops = values.flatMap { $0.split(separator: ",") }.map { String($0.filter { !$0.isWhitespace }) }
        // Each proxy appends whom it heard; what stands before the first one that is not ours may be made up.
        for hop in hops.reversed() {
            guard let address = NetworkAddress(hop) else { return peer }
            if !isTrusted(address) { return hop }
        }
        return hops.first ?? peer
    }

    func isTrusted(_ address: NetworkAddress) -> Bool { configuration.trustedProxies.contains { $0.contains(address) } }

    /// Whether a password may be sent over a connection: it is encrypted, or does not leave the machine or its proxy.
    package func takesPasswords(from peer: String?) -> Bool {
        guard !configuration.hasCertificate else { return true }
        guard let address = peer.flatMap(NetworkAddress.init) else { return false }
        return address.isLoopback || isTrusted(address)
    }
}
