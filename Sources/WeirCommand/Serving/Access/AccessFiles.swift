import Foundation
import Logging
import WeirAccess
import WeirJournals
import WeirPostgres
import WeirStates

/// Opens what is kept of users, tokens and sessions, in the journal's database or a file of the data folder, and the audit,
/// which is in files.
struct AccessFiles: Sendable {
    private let folder: DataFolder

    init(_ folder: DataFolder) { self.folder = folder }

    /// Where the audit is.
    var audit: URL { folder.url.appending(path: "audit", directoryHint: .isDirectory) }

    private var file: String { folder.url.appending(path: "access.sqlite").path }

    // MARK: For a server

    /// Opens the directory of users, tokens and sessions, with the audit.
    ///
    /// - Parameters:
    ///   - plan: How people are known.
    ///   - control: The rules.
    ///   - audit: Where it is written down who changed what.
    ///   - journal: The journal; where it is in a database, users are there too.
    ///   - logger: Says what was taken over from a file.
    ///   - takesOverAudit: Whether this is the server that writes down what commands have changed.
    /// - Returns: The directory, ready.
    /// - Throws: `StartError` when they cannot be used.
    func open(
        _ plan: AccessPlan, control: AccessControl, audit: AuditLog, beside journal: any Journal, logger: Logger,
        takesOverAudit: @escaping @Sendable () -> Bool
    ) async throws -> AccessDirectory {
        do {
            let storage = try storage(beside: journal) {
                logger.warning(
                    "The file of users and tokens, access.sqlite, was removed while the server had it open. It was written again, with all that it had."
                )
            }
            let isShared = storage is PostgresAccessStorage
            if isShared {
                try await takeOver(into: storage, logger)
            } else if try await AccessTransfer.isMarked(storage) {
                logger.warning(
                    "The users, tokens and sessions in access.sqlite were taken over into a database once. They are as they were then."
                )
            }
            return try await AccessDirectory(
                plan.configuration, control: control, storage: storage, audit: audit, keepsAuditHead: !isShared,
                takesOverAudit: takesOverAudit)
        } catch {
            throw StartError.unavailable(error.explanation)
        }
    }

    /// Where users and tokens are kept beside a journal that is open; a file that somebody removes meanwhile is written again.
    func storage(
        beside journal: any Journal, onRestored: @escaping @Sendable () -> Void = {}
    ) throws(AccessError) -> any AccessStorage {
        if let journal = journal as? PostgresJournal { return PostgresAccessStorage(of: journal) }
        return try SQLiteAccessStorage(path: file, onRestored: onRestored)
    }

    /// Takes users over into a database that has none, from the file in which they were before.
    private func takeOver(into storage: any AccessStorage, _ logger: Logger) async throws {
        guard FileManager.default.fileExists(atPath: file) else { return }
        let source = try SQLiteAccessStorage(path: file)
        let transfer = AccessTransfer(from: source, into: storage)
        switch try await transfer.copy() {
        case .nothing: break
        case .occupied:
            if try await !AccessTransfer.isMarked(source) {
                logger.warning(
                    "The users, tokens and sessions are those of the database. Those in access.sqlite have no effect; add who is missing."
                )
                try await transfer.markSource()
            }
        case .copied(let users, let tokens):
            try await transfer.markSource()
            logger.notice(
                "The users, tokens and sessions of access.sqlite were taken over into the database, and are there from now on.",
                metadata: ["users": "\(users)", "tokens": "\(tokens)"])
        }
        try source.close()
    }

    // MARK: For a command

    /// Does something with the storage of users and tokens, while a server may be using it.
    ///
    /// - Throws: `AccessError` when it cannot be used, and what `body` throws.
    func with<Result>(
        _ place: JournalPlace, _ body: (any AccessStorage) async throws -> Result
    ) async throws -> Result {
        guard case .database(let url) = place else { return try await body(try SQLiteAccessStorage(path: file)) }
        let storage = try await PostgresAccessStorage.open(url)
        let result: Swift.Result<Result, any Error>
        do {
            try await requireTakenOver(into: storage)
            result = .success(try await body(storage))
        } catch {
            result = .failure(error)
        }
        await storage.close()
        return try result.get()
    }

    /// Whoever is added before the server takes over its file would keep it from doing so.
    private func requireTakenOver(into storage: any AccessStorage) async throws {
        guard FileManager.default.fileExists(atPath: file) else { return }
        let source = try SQLiteAccessStorage(path: file)
        let transfer = AccessTransfer(from: source, into: storage)
        let isWaiting = try await transfer.isPossible()
        try source.close()
        guard isWaiting else { return }
        throw AccessError(
            .conflict,
            "The users are still in access.sqlite in the data folder. Start the server once: it takes them over into the database."
        )
    }

    // MARK: The audit

    /// Opens the audit.
    ///
    /// - Throws: `StartError` when its files cannot be used.
    func openAudit(
        days: Int, logger: Logger, onHead: @escaping @Sendable (String) -> Void = { _ in }
    ) throws -> AuditLog {
        do {
            return try AuditLog(folder: audit, days: days, logger: logger, onHead: onHead)
        } catch {
            throw StartError.unavailable(
                "The audit in the folder \(audit.path) cannot be read or written. `weir audit verify` says more; to begin a new "
                    + "one, move the folder away.")
        }
    }
}
