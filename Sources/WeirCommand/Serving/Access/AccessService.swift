import Foundation
import Logging
import ServiceLifecycle
import Synchronization
import WeirAccess
import WeirBoards
import WeirFlows
import WeirStandard
import WeirStates

/// Applies changes of users and tokens that commands make, and maintains the audit, while the server runs.
struct AccessService: ServiceLifecycle.Service {
    let directory: AccessDirectory
    let provider: OpenIDProvider?
    let removals: ReadOnlyStateFlow<RemovalEvent?>
    let head: AuditHead
    let onShutdown: @Sendable () -> Void

    func run() async throws {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await directory.watch() }
            group.addTask { await head.run() }
            group.addTask {
                for await event in removals.values(.lossless) { if let event { directory.audit.record(event) } }
            }
            if let provider { group.addTask { await provider.prepare() } }
            // Throws on cancellation, which ends the server as well.
            try? await gracefulShutdown()
            onShutdown()
            group.cancelAll()
        }
        await directory.audit.flush()
        // After the flush, because it stores the audit's position.
        await directory.tick()
        await directory.audit.flush()
        await head.say()
    }
}

extension AuditLog {
    func record(_ event: RemovalEvent) {
        switch event {
        case .announced(let removal):
            let notice =
                "of \(removal.kept) ended runs, at the earliest at \(removal.due); reason: \(removal.reason.rawValue)"
            record(.announceRemoval, by: .system, detail: "\(removal.runs) \(notice)")
        case .withdrawn(let removal):
            record(.withdrawRemoval, by: .system, detail: "\(removal.runs) of \(removal.kept) ended runs are kept")
        case .carriedOut(let removal, let removed):
            record(.removeRuns, by: .system, detail: "\(removed) of \(removal.kept) ended runs")
        }
    }
}

/// Publishes the audit's newest hash to the log or another server, where write access to the audit's files cannot undo it.
///
/// A redirect is an error, because the operator has not configured its target.
final class AuditHead: Sendable {
    private let audit: AuditLog
    private let isLogged: Bool
    private let url: String?
    private let post = HTTPPost(environment: OperationEnvironment())
    private let quiet: ReadOnlyStateFlow<QuietStart?>
    private let logger: Logger
    private let said = Mutex("")

    init(
        _ audit: AuditLog, settings: Settings,
        quiet: ReadOnlyStateFlow<QuietStart?> = MutableStateFlow<QuietStart?>(nil).asStateFlow(), logger: Logger
    ) {
        self.audit = audit
        isLogged = settings.text("audit.head-log") == "yes"
        url = settings.text("audit.head-url")
        self.quiet = quiet
        self.logger = logger
    }

    func run() async {
        while !Task.isCancelled {
            await say()
            do {
                try await Task.sleep(for: .seconds(3_600))
            } catch {
                return
            }
        }
    }

    func say() async {
        guard isLogged || url != nil else { return }
        let head = audit.head
        let isNews = said.withLock { said in
            defer { said = head }
            return said != head
        }
        guard isNews else { return }
        if isLogged { logger.notice("The audit has come to this head.", metadata: ["head": "\(head)"]) }
        // The head of a copy would look like a forged audit to the receiver.
        guard let url, quiet.value == nil else { return }
        do {
            let answer = try await post.send(
                JSONValue.object(["head": .string(head)]).text(), to: url,
                headers: ["content-type": "application/json"], timeout: .seconds(2))
            guard (200..<300).contains(answer.status) else {
                throw StartError.unavailable("It was answered with \(answer.status).")
            }
        } catch {
            said.withLock { $0 = "" }
            logger.error("The audit's head could not be sent.", metadata: ["cause": "\(Quoted(error))"])
        }
    }
}

/// Shows the set-up code for the first user on the console, or writes it to a file if there is no terminal.
struct SetUpNotice {
    let directory: AccessDirectory
    let folder: DataFolder
    let logger: Logger

    private var file: URL { folder.url.appending(path: "setup-code") }

    /// Creates and shows the code if there are no users.
    ///
    /// First logs an error if the audit knows users that are missing, so that the operator restores a copy of the storage and
    /// does not set the server up again.
    func say(url: String) async throws {
        if FileManager.default.fileExists(atPath: file.path) { try FileManager.default.removeItem(at: file) }
        guard let code = directory.makeSetUpCode() else { return }
        let missing = await userThatShouldBe()
        if let missing {
            logger.error(
                """
                All users are missing: the audit knows some, and now there is none, as access.sqlite in the data folder, or \
                the database, was removed or emptied. Stop the server, put a copy of access.sqlite back, or of the database, \
                and start it again. Use /setup only if there is no copy.
                """, metadata: ["user": "\(missing)"])
        }
        let words = missing == nil ? "Nobody can sign in yet." : "Nobody can sign in any more."
        if isatty(1) == 1 {
            print("\(words) Open \(url)setup within 15 minutes and enter this code: \(code)")
            fflush(nil)
            return
        }
        guard
            FileManager.default.createFile(
                atPath: file.path, contents: Data((code + "\n").utf8), attributes: [.posixPermissions: 0o600])
        else { throw StartError.unavailable("The code for the first user cannot be written to \(file.path).") }
        logger.notice(
            "\(words) Open /setup within 15 minutes and enter the code that is in the file.",
            metadata: ["file": "\(file.path)"])
    }

    private func userThatShouldBe() async -> String? {
        do {
            return try await directory.audit.userThatShouldBe()
        } catch {
            logger.error("The audit cannot be read.", metadata: ["cause": "\(Quoted(error))"])
            return nil
        }
    }
}
