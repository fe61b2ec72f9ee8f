import CPostgreSQL
import Synchronization
package import WeirJournals
import WeirStates

/// Opens a journal: connects, migrates the tables, and starts to record or to follow.
struct PostgresOpening: Sendable {
    struct Opened: Sendable {
        let epoch: String
        let began: Timestamp
        let place: String
        let entered: EnteredSession
        let pulse: PostgresPulse?
        let timeouts: [AnswerTimeout]
        let now: @Sendable () -> Timestamp
        let writer: PostgresWorker
        let readers: [PostgresWorker]
        let notices: [JournalNotice]
    }

    let address: PostgresAddress
    let configuration: PostgresJournal.Configuration
    let makeEpoch: @Sendable () -> String
    let now: @Sendable () -> Timestamp

    func open() async throws -> Opened {
        let entered = EnteredSession()
        let timeout = AnswerTimeout(configuration.timeout)
        // Its statements are short, so its timeout detects a database that does not answer.
        let pulseTimeout = AnswerTimeout(min(configuration.timeout, .seconds(10)))
        let writer = PostgresWorker(address, name: "writer", timeout: timeout) { connection in
            try connection.execute(Self.writing)
            try entered.appending?.resume(connection)
        }
        let readers = (0..<max(1, configuration.readers)).map { number in
            PostgresWorker(address, name: "reader\(number)", timeout: timeout) { connection in
                try connection.execute(Self.reading)
            }
        }
        do {
            try await checkPooling(writer, readers[0])
            let (epoch, began) = try await prepare(writer)
            var pulse: PostgresPulse?
            if !configuration.isReadOnly {
                if let found = try await enter(writer) { entered.begin(found, now: now) }
                if let node = configuration.node {
                    try await forgetCommands(of: node, writer)
                    entered.follow(epoch, worker: node.worker, now: now)
                }
                pulse = configuration.node.map { node in
                    PostgresPulse(
                        address, node: node, timeout: pulseTimeout, isRecording: entered.session != nil)
                }
            }
            return Opened(
                epoch: entered.session?.epoch ?? epoch, began: began, place: address.description, entered: entered,
                pulse: pulse, timeouts: [timeout, pulseTimeout], now: now, writer: writer, readers: readers,
                notices: try await writer.run { try Self.notices($0) })
        } catch {
            await writer.close()
            for reader in readers { await reader.close() }
            throw error
        }
    }

    /// Opens one connection for the tables beside the journal, after migrating them.
    func openWorker() async throws -> PostgresWorker {
        let worker = PostgresWorker(address, name: "records", timeout: AnswerTimeout(configuration.timeout)) {
            connection in
            try connection.execute(Self.writing)
        }
        do {
            _ = try await prepare(worker)
            return worker
        } catch {
            await worker.close()
            throw error
        }
    }

    /// Function plans are created once, when tables may be empty, and must always use an index.
    private static let writing = """
        SET lock_timeout = '15s'; SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off;
        SET enable_hashjoin = off; SET enable_mergejoin = off; SET jit = off
        """
    private static let reading = """
        SET default_transaction_read_only = on; SET statement_timeout = '30s'; SET jit = off;
        SET idle_in_transaction_session_timeout = '60s'
        """

    // MARK: Steps

    /// Migrates the tables; returns the history in them.
    private func prepare(_ writer: PostgresWorker) async throws -> (epoch: String, began: Timestamp) {
        try await writer.run { connection in
            let encoding = try connection.first("SHOW server_encoding") { $0.text(0) }
            guard encoding == "UTF8" else {
                throw JournalError(
                    .unavailable,
                    "The database's encoding is \(encoding ?? "unknown"). Create one with encoding UTF8: createdb -E UTF8."
                )
            }
            let migration = PostgresMigration(connection)
            if configuration.isReadOnly {
                try migration.checkIsReadable()
            } else {
                try migration.run(epoch: makeEpoch(), now: now())
            }
            let history = try connection.first("SELECT epoch, created FROM weir.journal") {
                (epoch: $0.text(0), began: $0.moment(1))
            }
            guard let history else { throw JournalError.damaged("no history") }
            return history
        }
    }

    /// Rejects a pooler in transaction mode, which would give both connections the same backend.
    private func checkPooling(_ writer: PostgresWorker, _ reader: PostgresWorker) async throws {
        let number: @Sendable (PostgresConnection) throws -> Int64? = { connection in
            try connection.first("SELECT pg_backend_pid()") { $0.integer(0) }
        }
        let numbers = (try await writer.run(number), try await reader.run(number))
        guard numbers.0 == numbers.1 else { return }
        throw JournalError.pooled(nil)
    }

    /// Starts to record; returns nil if another server records and this one follows.
    private func enter(_ writer: PostgresWorker) async throws -> PostgresEntry.Entered? {
        let deadline = ContinuousClock.now + configuration.patience
        let entry = PostgresEntry(node: configuration.node)
        while true {
            if let entered = try await writer.run({ try entry.enter($0) }) { return entered }
            if try await follows(writer) { return nil }
            guard ContinuousClock.now < deadline else {
                throw try await recordsElsewhere(writer)
            }
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    /// The error if the recording server cannot be followed: it has no id, or that of this one.
    private func recordsElsewhere(_ writer: PostgresWorker) async throws -> JournalError {
        let id = configuration.node?.id
        let isSame = try await writer.run { connection in
            try connection.first("SELECT true FROM weir.nodes WHERE records AND id = $1", [id ?? ""]) { _ in true }
        }
        return JournalError(
            .locked,
            isSame ?? false
                ? "A server with the id of this one records in this database. If it runs in another data folder, this folder is a "
                    + "copy of that one: remove the file node from it, and start again. Otherwise stop it first."
                : "Another server records in this database. Stop it first, or give this one a database of its own.")
    }

    /// Whether another server records that this one can follow.
    private func follows(_ writer: PostgresWorker) async throws -> Bool {
        guard let node = configuration.node else { return false }
        return try await writer.run { connection in
            try connection.first("SELECT true FROM weir.nodes WHERE records AND id <> $1", [node.id]) { _ in true }
        } ?? false
    }

    /// Removes the commands of this server's previous process, which no longer waits for them, before this one
    /// becomes visible.
    private func forgetCommands(of node: PostgresNode, _ writer: PostgresWorker) async throws {
        try await writer.run { connection in
            try connection.rows("DELETE FROM weir.commands WHERE node = $1", [node.id]) { _ in }
        }
    }

    static func notices(_ connection: PostgresConnection) throws -> [JournalNotice] {
        try connection.all("SELECT notice FROM weir.notices ORDER BY place") { row in
            JournalNotice(json: try JSONValue(parsing: row.text(0)))
        }.compactMap { $0 }
    }
}

/// The address of a database: a URL in the syntax of libpq, `postgres://user@host:5432/name?sslmode=verify-full`.
///
/// Missing parts are taken from libpq's environment variables, such as `PGPASSWORD`, and from `~/.pgpass`. The
/// description names the database and the host, never the password.
package struct PostgresAddress: Sendable, CustomStringConvertible {
    let url: String
    package let description: String

    /// Whether a text has the scheme of a database URL.
    package static func isURL(_ text: some StringProtocol) -> Bool {
        text.hasPrefix("postgres://") || text.hasPrefix("postgresql://")
    }

    /// Parses a URL; throws an error that does not repeat it if libpq rejects it, or is missing.
    package init(_ url: String) throws(JournalError) {
        // Every connection has an address, so libpq is loaded before any of its other functions is called.
        if let failure = cpostgresql_load() {
            throw JournalError(
                .unavailable,
                "A journal in PostgreSQL needs the library libpq, which cannot be loaded (\(String(cString: failure))). "
                    + "Install it, on Debian and Ubuntu with apt-get install libpq5, and start again.")
        }
        var message: UnsafeMutablePointer<CChar>?
        let options = Self.isURL(url) ? PQconninfoParse(url, &message) : nil
        defer {
            PQconninfoFree(options)
            PQfreemem(message)
        }
        guard let options else {
            let words = message.map { String(cString: $0) } ?? ""
            if let name = words.firstMatch(of: /invalid URI query parameter: "([A-Za-z0-9_]{1,40})"/)?.1 {
                throw JournalError(
                    .unavailable,
                    "The journal's URL has the parameter “\(name)”, which PostgreSQL does not know. Correct its name, as in "
                        + "sslmode=verify-full, or remove it.")
            }
            throw JournalError(
                .unavailable,
                "The journal's URL cannot be read. Write it as postgres://USER@HOST:5432/DATABASE?sslmode=verify-full, with "
                    + "special characters as %40.")
        }
        // Unsafe memory: libpq terminates its list with an option without a name.
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

    /// Defaults that the URL can override; an unreachable host fails after seconds, not minutes.
    static let defaults = [
        ("application_name", "weir"), ("client_encoding", "UTF8"), ("connect_timeout", "5"),
        ("keepalives_idle", "10"), ("keepalives_interval", "5"), ("keepalives_count", "3"),
        ("tcp_user_timeout", "15000"),
    ]
}
