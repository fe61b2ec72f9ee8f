import Foundation
import WeirJournals

/// The journal of a data folder, for short-lived commands.
enum BundleJournal {
    /// Opens it, or explains what to do instead.
    static func open(
        in folder: DataFolder, access: SQLiteJournal.Configuration.Access
    ) async throws(StartError) -> SQLiteJournal {
        guard access == .writing || FileManager.default.fileExists(atPath: folder.journal) else {
            throw .missing("There is no journal in \(folder.url.path). Set the server's data folder with --data.")
        }
        do {
            return try await SQLiteJournal.open(
                at: folder.journal, configuration: .init(access: access), now: Timestamp(Date()))
        } catch let error as JournalError where error.code == .locked {
            throw .unavailable(
                """
                A server is using the journal in \(folder.url.path). Import through it: on its page of runs, or by \
                curl -F file=@FILE http://127.0.0.1:8080/api/v1/imports
                """)
        } catch {
            throw .unavailable("The journal in \(folder.url.path) cannot be opened. \(error)")
        }
    }
}
