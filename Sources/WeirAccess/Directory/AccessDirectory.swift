package import Logging
import Synchronization
import WeirFlows
import WeirStates

/// Holds users, tokens, links and sessions in memory, backed by a storage, and authenticates requests.
///
/// Authentication needs no query. Every change starts a new generation of the ``AccessControl``, which requests in flight
/// observe. Changes by other processes are read by `tick()` and before each change.
package final class AccessDirectory: Sendable {
    package let control: AccessControl
    package let audit: AuditLog
    package let configuration: AccessConfiguration

    let storage: any AccessStorage
    let state: Mutex<DirectoryState>
    let hashing: WorkPool
    /// Checks the passwords from known browsers, which strangers cannot occupy.
    let knownHashing = WorkPool(threads: 1, room: 8)
    let now: @Sendable () -> Int64
    let random: @Sendable (Int) -> [UInt8]
    let decoy: PasswordHash
    let logger: Logger
    /// Whether audit entries are stored for the server instead of being written.
    let leavesAudit: Bool
    let keepsAuditHead: Bool
    /// Returns whether this server writes the entries left by commands, among all servers on the storage.
    let takesOverAudit: @Sendable () -> Bool
    let changes = ChangeQueue()
    let look = SharedCall()

    /// Opens the directory.
    ///
    /// - Parameters:
    ///   - configuration: How users are authenticated.
    ///   - control: The access control. It resolves credentials with this directory.
    ///   - storage: The storage of all records.
    ///   - audit: The audit log.
    ///   - leavesAudit: Whether audit entries are stored with their change instead of being written. For commands, because only
    ///     the server can extend the audit's chain.
    ///   - keepsAuditHead: Whether the audit's head is stored and checked at the next start. For a storage that no other server
    ///     uses.
    ///   - takesOverAudit: Returns whether this server, among those on the storage, writes the stored entries.
    ///   - now: Returns the time in milliseconds since 1970.
    ///   - random: Returns the given number of random bytes.
    ///   - logger: The logger.
    /// - Throws: An error of the storage.
    package init(
        _ configuration: AccessConfiguration, control: AccessControl, storage: any AccessStorage, audit: AuditLog,
        leavesAudit: Bool = false, keepsAuditHead: Bool = false,
        takesOverAudit: @escaping @Sendable () -> Bool = { true },
        now: @escaping @Sendable () -> Int64 = AuditLog.time,
        random: @escaping @Sendable (Int) -> [UInt8] = SecretText.random,
        logger: Logger = Logger(label: "weir.access")
    ) async throws {
        self.configuration = configuration
        self.control = control
        self.storage = storage
        self.audit = audit
        self.leavesAudit = leavesAudit
        self.keepsAuditHead = keepsAuditHead
        self.takesOverAudit = takesOverAudit
        self.now = now
        self.random = random
        self.logger = logger
        hashing = WorkPool(room: 32)
        state = Mutex(DirectoryState(configuration))
        // Checked for unknown names, so that they take as long as known ones.
        decoy = PasswordHash(ofNoPassword: configuration.cost, random: random)
        try await refresh()
        if keepsAuditHead { await audit.requirePassing(through: state.withLock { $0.auditHead }) }
        try await makeSettings()
        try await takeOverAudit()
        control.look(up: { [weak self] in self?.principal(of: $0) })
    }

    /// Creates the settings shared by all servers on the storage, if missing.
    private func makeSettings() async throws {
        try await change { [self] in
            let (instance, key) = state.withLock { ($0.instance, $0.signInKey) }
            var made: [DirectorySetting: String] = [:]
            if instance.isEmpty { made[.instance] = SecretText.shortID(random(8)) }
            if case .oidc = configuration.mode, key.isEmpty { made[.signInKey] = Hex(random(32)).text }
            if configuration.mode == .password, state.withLock({ $0.browserKey.isEmpty }) {
                made[.browserKey] = Hex(random(32)).text
            }
            guard !made.isEmpty else { return }
            try await write(made.map { try .put(.setting, $0.key.rawValue, $0.value) })
            state.withLock { state in
                state.instance = made[.instance] ?? state.instance
                state.signInKey = made[.signInKey] ?? state.signInKey
                state.browserKey = made[.browserKey] ?? state.browserKey
            }
        }
    }

    /// The key that seals pending sign-ins at an identity provider, shared by all servers on the storage; nil without a
    /// provider.
    package var signInKey: String? {
        let key = state.withLock { $0.signInKey }
        return key.isEmpty ? nil : key
    }

    /// Records an action of a command, whose entry the server writes.
    package func leave(_ action: AuditAction, by principal: Principal, _ subject: String) async throws {
        try await change { [self] in try await write([], entry(action, by: principal, from: .none, subject)) }
    }

    func entry(
        _ action: AuditAction, by principal: Principal, from origin: AuditOrigin, _ subject: String,
        _ detail: String? = nil
    ) -> AuditEntry {
        AuditEntry(
            at: now(), principal: principal, address: leavesAudit ? "command line" : origin.address, action,
            subject: subject, request: origin.request, detail: detail)
    }

    /// The client's address: the connection's peer, or the one that trusted proxies forward.
    package func address(peer: String?, forwardedFor values: [String]) -> String? {
        guard let peer, let direct = NetworkAddress(peer), isTrusted(direct) else { return peer }
        let hops = values.flatMap { $0.split(separator: ",") }.map { String($0.filter { !$0.isWhitespace }) }
        // Each proxy appends its peer. Values before the first untrusted one can be forged.
        for hop in hops.reversed() {
            guard let address = NetworkAddress(hop) else { return peer }
            if !isTrusted(address) { return hop }
        }
        return hops.first ?? peer
    }

    /// Returns whether the headers of a peer that describe its client are accepted.
    package func isTrustedProxy(_ peer: String?) -> Bool { peer.flatMap(NetworkAddress.init).map(isTrusted) ?? false }

    func isTrusted(_ address: NetworkAddress) -> Bool { configuration.trustedProxies.contains { $0.contains(address) } }

    /// Returns whether passwords are accepted over a connection: it is encrypted, local, or from a trusted proxy.
    package func takesPasswords(from peer: String?) -> Bool {
        guard !configuration.hasCertificate else { return true }
        guard let address = peer.flatMap(NetworkAddress.init) else { return false }
        return address.isLoopback || isTrusted(address)
    }
}

/// How users and programs are authenticated.
package struct AccessConfiguration: Sendable {
    package enum Mode: Sendable, Hashable {
        /// Authentication is off; everyone acts as the local operator.
        ///
        /// Forwarded requests are refused unless the configuration allows them.
        case none(allowsForwarded: Bool)
        /// A proxy sends the user, and optionally the groups, in header fields.
        case proxy(user: String, groups: String?)
        case password
        /// A command, which authenticates nobody and manages the people of every mode.
        case command
        /// An OpenID Connect provider; the identities of its users start with `prefix`.
        case oidc(prefix: String)
    }

    package var mode: Mode
    /// The addresses whose forwarding and user header fields are trusted.
    package var trustedProxies: [NetworkRange] = []
    package var isSecure = false
    /// The public URL without trailing slash, or nil to use the request's host.
    package var publicURL: String?
    /// Whether this server terminates TLS itself.
    package var hasCertificate = false
    package var sessions = SessionTable.Limits()
    var throttle = SignInThrottle.Limits()
    /// How long tokens and links keep the rights of a person that no identity source names again, in milliseconds.
    package var lease: Int64 = 24 * 3_600_000
    var shares = AccessShares()
    /// The roles whose local users must set up a second factor.
    package var secondFactorRoles: Set<String> = []
    var cost = ScryptCost.standard

    /// Creates a configuration with default values for everything but the mode.
    package init(_ mode: Mode) { self.mode = mode }

    package var hasSignIn: Bool {
        switch mode {
        case .password, .oidc: true
        case .none, .proxy, .command: false
        }
    }

    /// Returns whether a person belongs to the current mode; sessions of local users or of another provider are not valid after
    /// the mode changes.
    func knows(_ person: StoredPerson) -> Bool {
        switch mode {
        case .none, .proxy: false
        case .command: true
        case .password: person.isUser
        case .oidc(let prefix): !person.isUser && person.identity.hasPrefix(prefix)
        }
    }
}

/// The maximum numbers of tokens and links, in total and for each maker, so that no maker can use up the total.
struct AccessShares: Sendable {
    var all = 10_000
    var tokensOfOne = 100
    var linksOfOne = 200
    init() {}
}

extension AccessDirectory {
    /// Moves entries left in the storage by commands into the audit; removes them from the storage once they are written.
    func takeOverAudit() async throws {
        guard !leavesAudit, takesOverAudit() else { return }
        let (fresh, ids) = state.withLock { state in
            let fresh = state.leftEntries.filter { !state.takenOver.contains($0.key) }
            state.takenOver.formUnion(fresh.keys)
            return (fresh, state.takenOver)
        }
        guard !ids.isEmpty else { return }
        for (_, entry) in fresh.sorted(by: { ($0.value.at, $0.key) < ($1.value.at, $1.key) }) { audit.record(entry) }
        guard await audit.flush() else { return }
        try await change { [self] in try await write(ids.map { .remove(kind: .audit, id: $0) }) }
        state.withLock { state in
            for id in ids { state.leftEntries[id] = nil }
            state.takenOver.subtract(ids)
        }
    }

    /// Stores the audit's head, so that the next start detects a missing end.
    func keepAuditHead() async throws {
        let head = audit.head
        guard keepsAuditHead, head != AuditChain.start.head, head != state.withLock({ $0.auditHead }) else { return }
        try await change { [self] in
            try await write([try .put(.setting, DirectorySetting.auditHead.rawValue, head)])
            state.withLock { $0.auditHead = head }
        }
    }
}
