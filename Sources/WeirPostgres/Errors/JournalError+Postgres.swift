import WeirJournals

extension JournalError {
    /// The journal error for an error of the database.
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
                "The database only reads: it is a replica. Add target_session_attrs=read-write to the journal's URL.",
                cause: failure)
        case PostgresState.lockTimeout, PostgresState.cancelled:
            JournalError(
                .locked, "The database did not answer in time. Recording continues when it does.", cause: failure)
        case PostgresState.fenced: .fenced
        case PostgresState.noPlaceLeft: .noPlaceLeft
        // A statement that was prepared on another connection, or was not, though it was on this one.
        case "42P05", "26000": .pooled(failure)
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

    /// The error for a pooler that hands connections out for single transactions.
    static func pooled(_ cause: PostgresFailure?) -> JournalError {
        JournalError(
            .unavailable,
            "The journal's URL leads to a pooler that shares connections between transactions. Use pool_mode=session for "
                + "this database, or connect to PostgreSQL itself.", cause: cause)
    }

    /// The error for a server that another one has replaced.
    static var fenced: JournalError {
        JournalError(
            .locked,
            "Another server records in this database now, so this one has stopped recording. Stop one of the two.")
    }

    /// The error for what a server may not do while another one records.
    static var following: JournalError {
        JournalError(.locked, "Another server records in this database, and this one only follows it.")
    }

    /// The error for what a server appends to runs that it does not carry out, or no longer does.
    static var notAssigned: JournalError {
        JournalError(
            .locked,
            "Another server records in this database, and has not given this run to this one, or has taken it away.")
    }

    /// The error for a server that follows a history which has ended.
    static var replaced: JournalError {
        JournalError(
            .corrupt,
            "The database has lost changes, and another history has begun. Restart the server: it continues with that.")
    }

    /// Whether others have reported of the same run in the meantime.
    var isOvertaken: Bool { (cause as? PostgresFailure)?.state == PostgresState.overtaken }
}

/// The codes of refusals that are told apart: PostgreSQL's, and those of the functions in the database; see
/// `PostgresFunctions`.
enum PostgresState {
    /// A lock did not come free in time.
    static let lockTimeout = "55P03"
    /// A statement took longer than it may.
    static let cancelled = "57014"
    /// Another server has taken over.
    static let fenced = "WR001"
    /// A change does not follow its stream's last one; the detail says what is there.
    static let outOfOrder = "WR002"
    /// Lines for a run that is not kept; the detail is its place in the call.
    static let unknownRun = "WR003"
    /// The last sequence has been assigned.
    static let noPlaceLeft = "WR004"
    /// Lines were added in the meantime, so that a report must be judged again.
    static let overtaken = "WR005"
}
