import CPostgreSQL
package import WeirJournals

/// Where the database is: a URL as libpq reads it, `postgres://user@host:5432/name?sslmode=verify-full`.
///
/// What the URL does not say comes from libpq's environment variables, such as `PGPASSWORD`, and from `~/.pgpass`. It
/// never shows the password: its description names the database and the host.
package struct PostgresAddress: Sendable, CustomStringConvertible {
    let url: String
    /// The database and its host, without the user and the password.
    package let description: String

    /// Whether a text is meant as the URL of a database.
    package static func isURL(_ text: some StringProtocol) -> Bool {
        text.hasPrefix("postgres://") || text.hasPrefix("postgresql://")
    }

    /// Reads a URL; throws for one that libpq does not understand, without repeating it.
    package init(_ url: String) throws(JournalError) {
        var message: UnsafeMutablePointer<CChar>?
        let options = Self.isURL(url) ? PQconninfoParse(url, &message) : nil
        defer {
            PQconninfoFree(options)
            PQfreemem(message)
        }
        guard let options else {
            throw JournalError(
                .unavailable,
                "The journal's URL cannot be read. Write it as postgres://USER@HOST:5432/DATABASE?sslmode=verify-full, with "
                    + "special characters as %40.")
        }
        // Unsafe memory: libpq ends its list with an option that has no name.
        var values: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { values[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        self.url = url
        let host = values["host"] ?? values["hostaddr"] ?? "localhost"
        description = "PostgreSQL, \(host)/\(values["dbname"] ?? values["user"] ?? "")"
    }

    /// What holds unless the URL says otherwise: a host that does not answer is given up after seconds, not minutes.
    static let defaults = [
        ("application_name", "weir"), ("client_encoding", "UTF8"), ("connect_timeout", "5"),
        ("keepalives_idle", "10"), ("keepalives_interval", "5"), ("keepalives_count", "3"),
        ("tcp_user_timeout", "15000"),
    ]
}
