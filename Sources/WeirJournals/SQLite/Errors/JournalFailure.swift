import Foundation
import GRDB

/// The cause of a journal error, for the operator's log: the path, SQLite's extended code, and its message.
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
