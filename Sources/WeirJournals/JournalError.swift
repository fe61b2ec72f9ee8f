/// An error of a journal, with a message for users and the underlying error for the log.
public struct JournalError: Error, Sendable, CustomStringConvertible {
    package enum Code: String, Sendable {
        /// No space is left.
        case full
        case readOnly
        /// Another process holds the journal.
        case locked
        /// The stored data is not a journal or is damaged.
        case corrupt
        /// Written by a newer version of Weir.
        case tooNew
        /// A draft does not follow its stream's last change: a programming error.
        case outOfOrder
        /// A run to import exists already and differs.
        case conflict
        /// The file to import is not a valid export.
        case malformed
        /// A search exceeded its time limit.
        case searchTooLong
        case unavailable
    }

    package let code: Code
    /// A message for users, without paths or secrets.
    public let description: String
    /// The underlying error, for the log.
    package let cause: (any Error)?
    /// Whether another server records in the place of this one, so that this one will record nothing any more.
    package let isFenced: Bool

    package init(_ code: Code, _ description: String, cause: (any Error)? = nil, isFenced: Bool = false) {
        self.isFenced = isFenced
        self.code = code
        self.description = description
        self.cause = cause
    }
}

extension JournalError {
    package static func unknownRun(_ id: String) -> JournalError {
        JournalError(.outOfOrder, "Run \(id) is not in the journal, so its output has no place.")
    }

    /// Whether a repeated append finds its lines in a run's output of `count` lines; throws if they do not follow it.
    package static func areAppended(
        _ lines: [OutputDraft], to run: String, after: SequenceNumber?, count: SequenceNumber
    ) throws(JournalError) -> Bool {
        guard let after, after != count else { return false }
        guard after.advanced(by: lines.count) == count else {
            throw JournalError(
                .outOfOrder, "The output of run \(run) has \(count) lines, so lines after \(after) do not fit.")
        }
        return true
    }

    package static var searchTooLong: JournalError {
        JournalError(.searchTooLong, "The search took too long and was stopped. Search fewer runs.")
    }

    static var tooManySearches: JournalError {
        JournalError(.unavailable, "Too many searches wait for their turn. Try again later.")
    }

    package static var noPlaceLeft: JournalError {
        JournalError(.full, "The journal has assigned its last number. Start the server with another data folder.")
    }

    /// The error for a stored value that no version of Weir writes.
    package static func damaged(_ what: String) -> JournalError {
        JournalError(.corrupt, "The journal is damaged: it contains \(what), which no version has written.")
    }
}
