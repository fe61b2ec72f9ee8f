/// Why a journal could not do something, in a sentence for people, with the cause for the log.
public struct JournalError: Error, Sendable, CustomStringConvertible {
    /// The kind of error.
    package enum Code: String, Sendable {
        /// No space is left.
        case full
        /// The journal cannot be written.
        case readOnly
        /// Another program holds the journal.
        case locked
        /// What is stored is not a journal, or is damaged.
        case corrupt
        /// It was written by a newer Weir.
        case tooNew
        /// A draft does not follow its stream's last change: a programmer's error.
        case outOfOrder
        /// What is to be imported is already here, and differs.
        case conflict
        /// A file to import is not what an export writes.
        case malformed
        /// A search took longer than it may.
        case searchTooLong
        /// Anything else.
        case unavailable
    }

    /// The kind of error.
    package let code: Code
    /// A sentence for people, without paths or secrets.
    public let description: String
    /// The underlying error, for the log.
    package let cause: (any Error)?

    /// Creates an error.
    package init(_ code: Code, _ description: String, cause: (any Error)? = nil) {
        self.code = code
        self.description = description
        self.cause = cause
    }
}

extension JournalError {
    /// The error for output of a run that is not kept.
    package static func unknownRun(_ id: String) -> JournalError {
        JournalError(.outOfOrder, "Run \(id) is not in the journal, so its output has no place.")
    }

    /// The error for a search that took longer than it may.
    package static var searchTooLong: JournalError {
        JournalError(.searchTooLong, "The search took too long and was stopped. Search fewer runs.")
    }

    /// The error for a search when many others wait.
    package static var tooManySearches: JournalError {
        JournalError(.unavailable, "Too many searches wait for their turn. Try again later.")
    }

    /// The error for changes beyond the last place of a journal.
    package static var noPlaceLeft: JournalError {
        JournalError(.full, "The journal has assigned its last number. Start the server with another data folder.")
    }

    /// The error for a value that no version of Weir has written.
    package static func damaged(_ what: String) -> JournalError {
        JournalError(.corrupt, "The journal is damaged: it contains \(what), which no version has written.")
    }
}
