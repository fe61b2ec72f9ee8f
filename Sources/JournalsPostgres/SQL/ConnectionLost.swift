import CPostgreSQL

/// The connection to the database broke, or was never there.
struct ConnectionLost: Error {
    /// What libpq said, for the log.
    let words: String
}
