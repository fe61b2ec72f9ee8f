import WeirJournals

/// Brings the tables of a database up to date; see `PostgresSchema`.
struct PostgresMigration {
    private let connection: PostgresConnection

    init(_ connection: PostgresConnection) { self.connection = connection }

    /// Runs the migrations that are missing, all or none, while no other server can.
    func run(epoch: String, now: Timestamp) throws {
        try connection.transaction {
            try connection.execute("SELECT pg_advisory_xact_lock(\(PostgresSchema.lock))")
            if try !exists {
                try connection.execute(
                    """
                    CREATE SCHEMA weir;
                    CREATE TABLE weir.format (
                        "only" boolean PRIMARY KEY DEFAULT true CHECK ("only"), number bigint NOT NULL,
                        minimum bigint NOT NULL);
                    INSERT INTO weir.format (number, minimum) VALUES (0, 0)
                    """)
            }
            try check()
            let number = try connection.first("SELECT number FROM weir.format") { $0.integer(0) } ?? 0
            guard number < PostgresSchema.version else { return }
            for migration in PostgresSchema.migrations.dropFirst(Int(clamping: number)) {
                try connection.execute(migration)
            }
            try connection.rows(
                "UPDATE weir.format SET number = $1, minimum = greatest(minimum, $2)",
                [PostgresSchema.version, PostgresSchema.minimum]
            ) { _ in }
            guard number == 0 else { return }
            try connection.rows(
                "INSERT INTO weir.journal (epoch, created) VALUES ($1, $2)", [epoch, now.milliseconds]
            ) { _ in }
        }
    }

    /// Throws if there are no tables, or a newer version has changed them so that this one cannot use them.
    func check() throws {
        guard try exists else {
            throw JournalError(
                .unavailable, "There is no journal in this database. Start a server with it, and it makes one.")
        }
        let minimum = try connection.first("SELECT minimum FROM weir.format") { $0.integer(0) } ?? 0
        guard minimum <= PostgresSchema.version else {
            throw JournalError(
                .tooNew, "A newer version of Weir has changed the journal's database. Update this one.")
        }
    }

    private var exists: Bool {
        get throws {
            try connection.first("SELECT to_regclass('weir.format') IS NOT NULL") { $0.isTrue(0) } ?? false
        }
    }
}
