import Foundation
import GRDB

extension JournalError {
    static func of(_ error: DatabaseError, at path: String) -> JournalError {
        let cause = JournalFailure(error, at: path)
        // The shared memory beside the file could not grow.
        if error.extendedResultCode == .SQLITE_IOERR_SHMSIZE { return .full(cause) }
        return switch error.resultCode {
        case .SQLITE_FULL: .full(cause)
        case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH: .readOnly(cause)
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            JournalError(
                .locked, "Another program holds the journal. Recording continues when that program releases it.",
                cause: cause)
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: .corrupt(cause)
        case .SQLITE_CANTOPEN: .closed(cause)
        default: JournalError(.unavailable, "The journal's file cannot be read or written.", cause: cause)
        }
    }

    static func of(_ error: POSIXError, at path: String) -> JournalError {
        let cause = JournalFailure(error, at: path)
        return switch error.code {
        case .ENOSPC, .EDQUOT, .EFBIG: .full(cause)
        case .EACCES, .EPERM, .EROFS: .readOnly(cause)
        case .ENOENT, .ENOTDIR: .closed(cause)
        default: JournalError(.unavailable, "The journal's file cannot be read or written.", cause: cause)
        }
    }

    static func corrupt(_ cause: JournalFailure) -> JournalError {
        JournalError(
            .corrupt,
            "The journal is damaged. Restart the server: it sets the file aside and starts a new one.",
            cause: cause)
    }

    private static func full(_ cause: JournalFailure) -> JournalError {
        JournalError(
            .full, "No space is left for the journal. Free some space, or keep fewer runs.", cause: cause)
    }

    private static func readOnly(_ cause: JournalFailure) -> JournalError {
        JournalError(
            .readOnly, "The journal cannot be written. Give the server write permission to its data folder.",
            cause: cause)
    }

    private static func closed(_ cause: JournalFailure) -> JournalError {
        JournalError(
            .unavailable, "The journal cannot be opened. Check that its data folder exists and can be written.",
            cause: cause)
    }
}

/// The cause of a journal error, for the log: the path, SQLite's extended code, and its message.
struct JournalFailure: Error, CustomStringConvertible {
    let description: String

    init(_ error: DatabaseError, at path: String) {
        let words = error.message ?? "no words"
        description = "\(path): SQLite error \(error.extendedResultCode.rawValue) (\(words))"
    }

    init(_ error: POSIXError, at path: String) {
        description = "\(path): system error \(error.code.rawValue) (\(error.code))"
    }

    init(_ words: String, at path: String) {
        description = "\(path): \(words)"
    }
}
