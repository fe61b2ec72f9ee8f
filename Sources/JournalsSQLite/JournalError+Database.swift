import GRDB
import Journals

extension JournalError {
    /// What an error of the database means to whoever uses the journal.
    static func of(_ error: DatabaseError) -> JournalError {
        switch error.extendedResultCode {
        // The shared memory beside the file could not be made larger.
        case .SQLITE_IOERR_SHMSIZE: return .full(error)
        default: break
        }
        switch error.resultCode {
        case .SQLITE_FULL: return .full(error)
        case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH:
            return JournalError(
                .readOnly, "The journal may not be written. Give the server write permission to its data folder.",
                cause: error)
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            return JournalError(
                .locked, "Another program holds the journal. Recording goes on when it lets go.", cause: error)
        case .SQLITE_CORRUPT, .SQLITE_NOTADB:
            return JournalError(
                .corrupt, "The journal is damaged. Restart the server: it sets the damaged file aside and begins anew.",
                cause: error)
        case .SQLITE_CANTOPEN:
            return JournalError(
                .unavailable, "The journal cannot be opened. See that its data folder exists and may be written.",
                cause: error)
        default: return JournalError(.unavailable, "The journal's file cannot be read or written.", cause: error)
        }
    }

    private static func full(_ error: DatabaseError) -> JournalError {
        JournalError(
            .full, "No space is left for the journal. Free some, or let fewer runs be kept.", cause: error)
    }

    /// For a value that no Weir has written.
    static func damaged(_ what: String) -> JournalError {
        JournalError(.corrupt, "The journal is damaged: it holds \(what), which no version has written.")
    }
}
