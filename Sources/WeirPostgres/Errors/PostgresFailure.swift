/// What went wrong at the database, for the operator's log: the code and the message, never a statement or a password.
struct PostgresFailure: Error, CustomStringConvertible {
    /// What PostgreSQL calls the kind of error, in five characters; `08006` where the connection broke.
    let state: String
    /// The first line of what PostgreSQL said.
    let words: String
    /// What our own functions say about their refusals.
    let detail: String

    init(_ state: String, _ words: String, detail: String = "") {
        self.state = state
        self.words = words
        self.detail = detail
    }

    var description: String { "PostgreSQL error \(state) (\(words))" }

    /// Whether the connection is of no more use: it broke, or the server is shutting down, starting or in recovery.
    var isConnectionLost: Bool {
        state.hasPrefix("08") || ["57P01", "57P02", "57P03", "57P05", "25006"].contains(state)
    }

    /// The connection broke, with libpq's words.
    static func lost(_ words: String) -> PostgresFailure { PostgresFailure("08006", words) }
}
