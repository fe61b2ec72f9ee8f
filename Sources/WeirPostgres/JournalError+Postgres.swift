import WeirJournals

extension JournalError {
    static func of(_ failure: PostgresFailure) -> JournalError {
        switch failure.state {
        case let state where state.hasPrefix("28"):
            JournalError(
                .unavailable,
                "The database refuses the user name or the password. Check the journal's URL and pg_hba.conf.",
                cause: failure)
        case "3D000":
            JournalError(
                .unavailable, "The database does not exist. Create it with createdb, encoding UTF8.", cause: failure)
        case "53100", "53200", "58030":
            JournalError(
                .full, "The database has no space left. Free some space on its disk, or keep fewer runs.",
                cause: failure)
        case "53300":
            JournalError(
                .unavailable,
                "The database accepts no more connections. Raise max_connections, or close others; a server needs six.",
                cause: failure)
        case "42501":
            JournalError(
                .readOnly,
                "The database's user lacks a permission. Make it the owner of the database, or grant it CREATE on it.",
                cause: failure)
        case "25006":
            JournalError(
                .readOnly,
                "The database only reads: it is a replica, or default_transaction_read_only is on. For a replica, list all hosts in the "
                    + "journal's URL with target_session_attrs=read-write.",
                cause: failure)
        case PostgresState.lockTimeout, PostgresState.cancelled:
            JournalError(
                .locked, "The database did not answer in time. Recording continues when it does.", cause: failure)
        case PostgresState.fenced: .fenced
        case PostgresState.noPlaceLeft: .noPlaceLeft
        // A statement prepared on another connection, or missing although prepared on this one.
        case "42P05", "26000": .pooled(failure)
        case PostgresState.insecure:
            JournalError(
                .unavailable,
                "There is no secure connection to the database: its certificate, or the TLS of the journal's URL, does not fit. "
                    + "Check sslmode, sslrootcert and the host in the URL, and the database's certificate.",
                cause: failure)
        case PostgresState.malformed:
            JournalError(
                .unavailable,
                "A parameter of the journal's URL, or a variable of libpq such as PGSERVICE, has a value that PostgreSQL does not "
                    + "accept. Correct it.", cause: failure)
        case "XX001", "XX002":
            JournalError(.corrupt, "The database is damaged. Restore it from a backup.", cause: failure)
        case _ where failure.isConnectionLost:
            JournalError(
                .unavailable,
                "The database cannot be reached. Check that it is running; recording continues when it is.",
                cause: failure)
        default: JournalError(.unavailable, "The database refused the journal's request.", cause: failure)
        }
    }

    static func pooled(_ cause: PostgresFailure?) -> JournalError {
        JournalError(
            .unavailable,
            "The journal's URL leads to a pooler that shares connections between transactions. Use pool_mode=session for "
                + "this database, or connect to PostgreSQL itself.", cause: cause)
    }

    static var fenced: JournalError {
        JournalError(
            .locked,
            "Another server records in this database now, so this one has stopped recording. Stop one of the two.",
            isFenced: true)
    }

    static var following: JournalError {
        JournalError(.locked, "Another server records in this database, and this one only follows it.")
    }

    static var notAssigned: JournalError {
        JournalError(
            .locked,
            "Another server records in this database, and has not given this run to this one, or has taken it away.")
    }

    static var replaced: JournalError {
        JournalError(
            .corrupt,
            "The database has lost changes, and another history has begun. Restart the server: it continues with that.")
    }

    /// Whether others have reported the same run in the meantime.
    var isOvertaken: Bool { (cause as? PostgresFailure)?.state == PostgresState.overtaken }
}

/// The error codes that are handled separately: PostgreSQL's, and those of the database functions; see
/// `PostgresFunctions`.
enum PostgresState {
    static let lockTimeout = "55P03"
    /// A statement timeout expired.
    static let cancelled = "57014"
    /// Another server records.
    static let fenced = "WR001"
    /// A change does not follow the last one of its stream; the detail describes the stored state.
    static let outOfOrder = "WR002"
    /// Lines for a run that is not kept; the detail is its index in the call.
    static let unknownRun = "WR003"
    static let noPlaceLeft = "WR004"
    /// TLS could not be set up; a connection failure of class 08 without a code of PostgreSQL.
    static let insecure = "08TLS"
    /// A parameter of the URL has an invalid value; also a connection failure.
    static let malformed = "08URL"
    /// Lines were added in the meantime; the report must be decided again.
    static let overtaken = "WR005"
}

/// A database error for the log: the code and the message, never a statement or a password.
struct PostgresFailure: Error, CustomStringConvertible {
    /// The five-character SQLSTATE; `08006` for a lost connection.
    let state: String
    /// The first line of PostgreSQL's message.
    let words: String
    /// The detail that the database functions attach to their errors.
    let detail: String

    init(_ state: String, _ words: String, detail: String = "") {
        self.state = state
        // The message about a refused user names it.
        self.words = state.hasPrefix("28") ? words.replacing(/(user|role) "[^"]*"/, with: { "\($0.1)" }) : words
        self.detail = detail
    }

    var description: String { "PostgreSQL error \(state) (\(words))" }

    /// Whether the connection is unusable: it broke, or the server is shutting down, starting or in recovery.
    var isConnectionLost: Bool {
        state.hasPrefix("08") || ["57P01", "57P02", "57P03", "57P05", "25006"].contains(state)
    }

    /// A lost connection, with libpq's message.
    static func lost(_ words: String) -> PostgresFailure { PostgresFailure("08006", words) }
}
