/// Why a journal could not do what it was asked, in words for a person, with the cause for the log.
public struct JournalError: Error, Sendable, CustomStringConvertible {
    /// What kind of trouble it is.
    public enum Code: String, Sendable {
        /// No space is left.
        case full
        /// The journal may not be written.
        case readOnly
        /// Somebody else holds the journal.
        case locked
        /// What is stored is not a journal, or is damaged.
        case corrupt
        /// It was written by a newer Weir.
        case tooNew
        /// A draft does not follow its stream's last change: a programmer's error.
        case outOfOrder
        /// What is imported is here already, and is not the same.
        case conflict
        /// A file to import is not what an export writes.
        case malformed
        /// Anything else.
        case unavailable
    }

    /// What kind of trouble it is.
    public let code: Code
    /// A sentence for a person, without paths or secrets.
    public let description: String
    /// What lay underneath, for the log.
    public let cause: (any Error)?

    /// Makes an error.
    public init(_ code: Code, _ description: String, cause: (any Error)? = nil) {
        self.code = code
        self.description = description
        self.cause = cause
    }
}
