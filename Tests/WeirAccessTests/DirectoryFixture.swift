import Foundation
import Logging
import Synchronization

@testable import WeirAccess

/// A directory whose clock stands still until a test moves it, and whose hashes cost little.
final class DirectoryFixture: Sendable {
    private let clock: StoppedClock
    let directory: AccessDirectory
    let control: AccessControl
    let folder: URL

    static let subjects = [
        Subject(.operation("backup-daily")), Subject(.operation("deploy"), tags: ["production"]),
        Subject(.store("todo")),
    ]

    init(
        _ mode: AccessConfiguration.Mode = .password, rules: AccessRules = AccessRules(),
        storage: any AccessStorage = MemoryAccessStorage(), leavesAudit: Bool = false,
        clock: StoppedClock = StoppedClock(),
        logger: Logger = Logger(label: "test"),
        change: (inout AccessConfiguration) -> Void = { _ in },
        takesOverAudit: @escaping @Sendable () -> Bool = { true }
    ) async throws {
        var configuration = AccessConfiguration(mode)
        configuration.cost = ScryptCost(logRounds: 4, blockSize: 8, parallelism: 1)
        change(&configuration)
        control = AccessControl(rules: rules, subjects: Self.subjects)
        folder = FileManager.default.temporaryDirectory.appending(path: "weir-audit-\(UUID())")
        self.clock = clock
        directory = try await AccessDirectory(
            configuration, control: control, storage: storage,
            audit: try AuditLog(folder: folder, now: { clock.now }), leavesAudit: leavesAudit,
            takesOverAudit: takesOverAudit, now: { clock.now }, logger: logger)
    }

    deinit {
        do { try FileManager.default.removeItem(at: folder) } catch {}
    }

    var now: Int64 { clock.now }
    func advance(milliseconds: Int64) { clock.advance(milliseconds) }

    func addUser(_ name: String, _ role: String = "operator") async throws {
        try await directory.addUser(
            name, password: "correct horse", roles: [StoredAssignment(role: role)], by: .system)
    }

    func signIn(_ name: String, _ password: String = "correct horse", from address: String = "192.0.2.1") async throws
        -> SecretText?
    {
        guard
            case .signedIn(let secret, _) = try await directory.signIn(
                name, password, from: AuditOrigin(address: address))
        else {
            return nil
        }
        return secret
    }

    func request(_ fields: [String: [String]], peer: String = "127.0.0.1") -> Authentication {
        directory.authenticate(AccessRequest(peer: peer, isSecure: false) { fields[$0] ?? [] })
    }

    func request(session: SecretText) -> Authentication { request(fields(session)) }

    /// The name of whoever a request is from, after a look at what other servers know.
    func nameLookedUp(_ fields: [String: [String]]) async -> String? {
        let request = AccessRequest(peer: "127.0.0.1", isSecure: false) { fields[$0] ?? [] }
        return await directory.authenticateLookingUp(request).authorization?.principal.name
    }

    /// The fields of a request that brings a session.
    func fields(_ session: SecretText) -> [String: [String]] {
        ["cookie": ["lang=pt-BR; \(directory.cookie.name)=\(session.text)"]]
    }

    func entries(_ filter: AuditFilter = AuditFilter()) async throws -> [AuditEntry] {
        try await directory.audit.page(filter).records.map(\.entry)
    }
}

extension Authentication {
    var refusal: Refusal? {
        guard case .refused(let refusal) = self else { return nil }
        return refusal
    }
}

/// A clock that stands still until a test moves it.
final class StoppedClock: Sendable {
    private let time = Mutex<Int64>(1_800_000_000_000)

    var now: Int64 { time.withLock { $0 } }
    func advance(_ milliseconds: Int64) { time.withLock { $0 += milliseconds } }
}
