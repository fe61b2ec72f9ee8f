import Access
import AccessSQLite
import Foundation
import Logging
import States

/// Opens what is kept of users, tokens, sessions and the audit, in files of the data folder.
struct AccessFiles: Sendable {
    private let folder: DataFolder

    init(_ folder: DataFolder) { self.folder = folder }

    /// Where the audit is.
    var audit: URL { folder.url.appending(path: "audit", directoryHint: .isDirectory) }

    /// Opens the directory of users, tokens and sessions, with the audit.
    ///
    /// - Throws: `StartError` when a file cannot be used.
    func open(_ plan: AccessPlan, control: AccessControl, audit: AuditLog) async throws -> AccessDirectory {
        do {
            return try await AccessDirectory(
                plan.configuration, control: control,
                storage: try storage(), audit: audit)
        } catch {
            throw StartError.unavailable(error.explanation)
        }
    }

    /// Opens the file of users and tokens.
    func storage() throws(AccessError) -> SQLiteAccessStorage {
        try SQLiteAccessStorage(path: folder.url.appending(path: "access.sqlite").path)
    }

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
