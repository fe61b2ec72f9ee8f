/// Why a command could not do its work at a server: a sentence with a remedy, and the exit code that scripts see.
package struct ClientError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of mistake it is; the numbers are those of sysexits.h.
    package enum Kind: Int32, Sendable, Hashable {
        /// Something was given that the server refuses: EX_DATAERR.
        case refused = 65
        /// What is named does not exist: EX_NOINPUT.
        case missing = 66
        /// The server cannot be reached, or has no room at the moment: EX_UNAVAILABLE.
        case unavailable = 69
        /// A file cannot be written: EX_CANTCREAT.
        case file = 73
        /// What answers is not a Weir server, or does not keep to the protocol: EX_PROTOCOL.
        case foreign = 76
        /// The server does not know the caller, or does not allow it: EX_NOPERM.
        case forbidden = 77
        /// A profile or an option cannot be used: EX_CONFIG.
        case misconfigured = 78
    }

    package let kind: Kind
    /// What happened and what to do.
    package let description: String
    /// What happened alone, for whoever tries again.
    package let cause: String
    /// Whether the same request may succeed later.
    package var isTemporary = false
    /// After how many seconds the server asks to try again.
    package var retryAfter: Int64?

    /// Makes an error of what happened, and of what to do where that does not say it.
    package init(
        _ kind: Kind, _ cause: String, remedy: String? = nil, isTemporary: Bool = false, retryAfter: Int64? = nil
    ) {
        self.kind = kind
        self.cause = cause
        description = remedy.map { "\(cause) \($0)" } ?? cause
        self.isTemporary = isTemporary
        self.retryAfter = retryAfter
    }

    /// What the process exits with.
    package var exitCode: Int32 { kind.rawValue }
}
