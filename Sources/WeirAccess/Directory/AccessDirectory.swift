package import Logging
import Synchronization
import WeirFlows
import WeirStates

/// Who there is: users, tokens, links and sessions, all in memory and kept in a storage, and who a request comes from.
///
/// Asking costs no query. Every change begins a new generation of the ``AccessControl``, so that requests in flight see it;
/// what another process changes in the storage is noticed by `tick()`, and before anything is changed here.
package final class AccessDirectory: Sendable {
    /// The rules, and who may do what by them.
    package let control: AccessControl
    /// Where it is written down who signed in and who changed what.
    package let audit: AuditLog
    /// How people are known.
    package let configuration: AccessConfiguration

    let storage: any AccessStorage
    let state: Mutex<DirectoryState>
    let hashing: WorkPool
    let now: @Sendable () -> Int64
    let random: @Sendable (Int) -> [UInt8]
    let decoy: PasswordHash
    let logger: Logger
    /// Whether entries of the audit are left in the storage, for the server to write.
    let leavesAudit: Bool
    /// Whether what the audit has come to is kept in the storage.
    let keepsAuditHead: Bool
    /// Whether this server writes down what commands left, of all that use the storage.
    let takesOverAudit: @Sendable () -> Bool
    let changes = ChangeQueue()
    let look = SharedCall()

    /// Opens the directory.
    ///
    /// - Parameters:
    ///   - configuration: How people are known.
    ///   - control: The rules. It asks this directory for whom it does not know.
    ///   - storage: Where everything is kept.
    ///   - audit: Where it is written down.
    ///   - leavesAudit: Whether entries are left in the storage instead, together with the change they are about: for
    ///     commands, as only the server may extend the audit's chain.
    ///   - keepsAuditHead: Whether what the audit has come to is kept in the storage, and looked for at the next start: for
    ///     a storage that only this server uses.
    ///   - takesOverAudit: Whether this is the server, of those that use the storage, that writes down what was left.
    ///   - now: The time in milliseconds since 1970.
    ///   - random: So many random bytes.
    ///   - logger: Says what cannot be read.
    /// - Throws: What the storage throws.
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

    /// Makes what the servers of a storage have in common, unless another one has.
    private func makeSettings() async throws {
        try await change { [self] in
            let (instance, key) = state.withLock { ($0.instance, $0.signInKey) }
            var made: [DirectorySetting: String] = [:]
            if instance.isEmpty { made[.instance] = SecretText.shortID(random(8)) }
            if case .oidc = configuration.mode, key.isEmpty { made[.signInKey] = Hex(random(32)).text }
            guard !made.isEmpty else { return }
            try await write(made.map { try .put(.setting, $0.key.rawValue, $0.value) })
            state.withLock { state in
                state.instance = made[.instance] ?? state.instance
                state.signInKey = made[.signInKey] ?? state.signInKey
            }
        }
    }

    /// What sign-ins that are under way at an identity provider are sealed with, by all servers of the storage; nil where none
    /// is asked.
    package var signInKey: String? {
        let key = state.withLock { $0.signInKey }
        return key.isEmpty ? nil : key
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
