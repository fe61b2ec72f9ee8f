import Foundation
package import WeirAccess
package import WeirJournals

/// What a database says about itself before a server records in it; nothing is changed.
package struct PostgresInspection: Sendable, Hashable {
    /// The version of PostgreSQL, such as `15.8`.
    package let version: String
    /// The host and the database, without user and password.
    package let place: String
    /// How far the database's clock is ahead of this machine's, in milliseconds.
    package let skew: Int64
    /// The time of a short query, in milliseconds.
    package let latency: Int64
    /// The format of the tables; nil if there are none.
    package let format: Int64?
    package let newestFormat: Int64
    /// How many connections the database accepts besides those of superusers, and how many there are.
    package let maximumConnections: Int64
    package let connections: Int64

    /// Connects to a database; throws `JournalError`, also if a server could not record in it.
    package static func inspect(_ url: String, now: @escaping @Sendable () -> Timestamp) async throws -> Self {
        let address = try PostgresAddress(url)
        return try await read(address) { try Self($0, place: address.description, now: now) }
    }

    /// The records of users, tokens and sessions, or none before a server has made their tables; throws `JournalError`.
    package static func accessRecords(_ url: String) async throws -> [StoredRecord] {
        try await read(try PostgresAddress(url)) { connection in
            let exists = try connection.first("SELECT to_regclass('weir.access_records') IS NOT NULL") { $0.isTrue(0) }
            guard exists == true else { return [] }
            var records: [StoredRecord] = []
            try connection.rows("SELECT kind, id, json FROM weir.access_records WHERE json IS NOT NULL", []) { row in
                records.append(StoredRecord(kind: row.text(0), id: row.text(1), json: Data(row.text(2).utf8)))
            }
            return records
        }
    }

    private static func read<Value: Sendable>(
        _ address: PostgresAddress, _ body: @escaping @Sendable (PostgresConnection) throws -> Value
    ) async throws -> Value {
        let worker = PostgresWorker(address, name: "inspection", timeout: AnswerTimeout(.seconds(10))) { connection in
            try connection.execute("SET default_transaction_read_only = on; SET statement_timeout = '10s'")
        }
        let result: Result<Value, any Error>
        do {
            result = .success(try await worker.run(body))
        } catch {
            result = .failure(error)
        }
        await worker.close()
        return try result.get()
    }

    private init(_ connection: PostgresConnection, place: String, now: () -> Timestamp) throws {
        self.place = place
        version = try connection.first("SHOW server_version") { $0.text(0) } ?? ""
        let clock = ContinuousClock.now
        let before = now()
        let theirs = try connection.first("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint") {
            $0.integer(0)
        }
        let passed = (ContinuousClock.now - clock).components
        latency = passed.seconds * 1_000 + passed.attoseconds / 1_000_000_000_000_000
        skew = (theirs ?? 0) - before.milliseconds - latency / 2
        let encoding = try connection.first("SHOW server_encoding") { $0.text(0) }
        guard encoding == "UTF8" else {
            throw JournalError(
                .unavailable,
                "The database's encoding is \(encoding ?? "unknown"). Create one with encoding UTF8: createdb -E UTF8.")
        }
        newestFormat = PostgresSchema.version
        let hasTables = try connection.first("SELECT to_regclass('weir.format') IS NOT NULL") { $0.isTrue(0) } ?? false
        if hasTables {
            try PostgresMigration(connection).check()
            format = try connection.first("SELECT number FROM weir.format") { $0.integer(0) }
        } else {
            format = nil
        }
        let isAllowed = try connection.first(
            hasTables
                ? "SELECT pg_has_role(nspowner, 'USAGE') FROM pg_namespace WHERE nspname = 'weir'"
                : "SELECT has_database_privilege(current_database(), 'CREATE')"
        ) { $0.isTrue(0) }
        guard isAllowed == true else {
            throw JournalError(
                .readOnly,
                "The database's user lacks a permission. Make it the owner of the database, or grant it CREATE on it.")
        }
        guard try connection.first("SELECT pg_is_in_recovery()", read: { $0.isTrue(0) }) == false else {
            throw JournalError(
                .readOnly,
                "The database only reads: it is a replica. Add target_session_attrs=read-write to the journal's URL.")
        }
        maximumConnections =
            try connection.first(
                """
                SELECT current_setting('max_connections')::bigint
                    - current_setting('superuser_reserved_connections')::bigint
                """
            ) { $0.integer(0) } ?? 0
        connections =
            try connection.first("SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'") {
                $0.integer(0)
            } ?? 0
    }
}
