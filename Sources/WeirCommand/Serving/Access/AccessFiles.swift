import Foundation
import Logging
import WeirAccess
import WeirJournals
import WeirPostgres
import WeirStates

/// Opens the audit, which consists of files, and the storage of users, tokens and sessions.
///
/// The storage is the journal's database or a file in the data folder.
struct AccessFiles: Sendable {
    private let folder: DataFolder

    init(_ folder: DataFolder) { self.folder = folder }

    var audit: URL { folder.url.appending(path: "audit", directoryHint: .isDirectory) }

    private var file: String { folder.access }

    // MARK: For a server

    /// Opens the directory of users, tokens and sessions; throws `StartError` if the storage cannot be used.
    ///
    /// `takesOverAudit` returns whether this server audits the changes that commands have made.
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

    /// The storage of users and tokens of an open journal, whose file is written again if it is removed.
    func storage(
        beside journal: any Journal, onRestored: @escaping @Sendable () -> Void = {}
    ) throws(AccessError) -> any AccessStorage {
        if let journal = journal as? PostgresJournal { return PostgresAccessStorage(of: journal) }
        return try SQLiteAccessStorage(path: file, onRestored: onRestored)
    }

    /// Migrates users from the file into a database that has none.
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

    /// Runs a body with the storage of users and tokens, while a server may be using it.
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

    /// Throws if the file is not yet migrated: a user added to the database before would prevent the migration.
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

    /// Opens the audit; throws `StartError` if its files cannot be used.
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
