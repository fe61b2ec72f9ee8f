import WeirJournals

/// The journal's tables, in the schema `weir` of a database with encoding UTF8.
///
/// They correspond to the tables of the SQLite file, under the same names: `JournalSchema` documents the columns.
/// Texts that may contain NUL are `bytea` with their UTF-8 bytes; JSON and words are `text COLLATE "C"`, so that
/// nothing depends on installed locales. The differences:
///
/// - `format`: one row. `number` is the newest migration; `minimum` is the lowest number that a server must know to
///   use the database. Migrations only add, so only a later release raises the minimum.
/// - `journal.fence` counts the takeovers by recording servers; every call names the fence of its server, and is
///   refused after another takeover.
/// - `batches`: the newest calls of each server, by its name and count: a call that is repeated after a lost
///   connection returns its original result.
/// - `runs.ended_sequence` is `sequence` once the run has ended, so that a change of an active run touches no index.
/// - `lines`: the number of lines of each run with output, separate from `runs`.
/// - `run_text`: the words of ended runs, and the set of them as a `tsvector`, truncated to 200 bytes each, as an
///   index of candidates. It is null if it would be too large.
/// - `floors` of an operation below zero: those without deletions, which `raise_floor` raises with the others.
/// - `removed_reports`, `notices`: in order of insertion.
///
/// - `nodes`: the servers that use the database, each as it last described itself, and which of them records.
/// - `commands`: requests of following servers to the recording one. A command is claimed under the fence, with the
///   number of the claiming call; later its answer is added. A withdrawn command keeps its row for a while, so that a
///   delayed call does not add it again. The requesting server removes its commands; those of removed servers are
///   deleted with the next claim.
/// - `assignments`: the process of a following server that executes a run and may append to it; `place` increases
///   with each change of a row.
/// - `access`, `access_records`: independent of the journal; see `PostgresRecordTables`.
///
/// Only the functions of `PostgresFunctions` write, except to `nodes`, `commands` and the record tables, each in one
/// transaction that first takes the lock ``lock``. The order of commits is therefore the order of sequences for every
/// reader.
enum PostgresSchema {
    /// The advisory lock for all writes: `WEIR` and 1.
    static let lock: Int64 = 0x5745_4952_0000_0001
    /// The advisory lock that a recording server holds while it is connected: `WEIR` and 2.
    static let server: Int64 = 0x5745_4952_0000_0002

    /// The number of sequences per row of `blocks`, as a power of two.
    static let blockBits: Int64 = 12

    /// One migration per format, each from the previous one; the first starts with an empty schema.
    static let migrations: [String] = [
        tables + PostgresFunctions.append + PostgresFunctions.others, nodes, commands,
        PostgresFunctions.assignments + PostgresFunctions.append, PostgresRecordTables.script,
        attempts + PostgresFunctions.append, PostgresFunctions.deletions,
    ]

    /// The lowest format that a server must know to use what this version writes.
    static let minimum: Int64 = 1

    /// The lowest format whose tables this version can read without migrating them.
    static let readable: Int64 = 7

    static var version: Int64 { Int64(clamping: migrations.count) }

    private static let nodes = """
        CREATE TABLE weir.nodes (
            id text COLLATE "C" PRIMARY KEY, name text NOT NULL, beat bigint NOT NULL DEFAULT 0,
            records boolean NOT NULL DEFAULT false,
            standing text COLLATE "C" NOT NULL DEFAULT '{"head":0,"runs":0,"viewers":0,"watched":[]}')
            WITH (fillfactor = 50)
        """

    private static let commands = """
        CREATE TABLE weir.commands (
            id text COLLATE "C" PRIMARY KEY, place bigint GENERATED ALWAYS AS IDENTITY, node text COLLATE "C" NOT NULL,
            command text COLLATE "C", withdrawn boolean NOT NULL DEFAULT false, fence bigint, claim bigint,
            answer text COLLATE "C") WITH (fillfactor = 50);
        CREATE INDEX commands_waiting ON weir.commands (place) WHERE fence IS NULL AND NOT withdrawn;
        CREATE FUNCTION weir.claim_commands(fence bigint, claim bigint, nodes text[], count bigint)
        RETURNS TABLE (place bigint, id text, node text, command text) LANGUAGE plpgsql AS $$
        #variable_conflict use_column
        BEGIN
            PERFORM weir.enter(claim_commands.fence);
            DELETE FROM weir.commands c WHERE NOT EXISTS (SELECT FROM weir.nodes n WHERE n.id = c.node);
            RETURN QUERY UPDATE weir.commands c SET fence = claim_commands.fence, claim = claim_commands.claim
                WHERE c.id IN (
                    SELECT w.id FROM weir.commands w WHERE NOT w.withdrawn AND w.node = ANY (nodes)
                        AND (w.fence IS NULL OR w.fence = claim_commands.fence AND w.claim = claim_commands.claim)
                    ORDER BY w.place LIMIT claim_commands.count)
                    AND NOT c.withdrawn
                    AND (c.fence IS NULL OR c.fence = claim_commands.fence AND c.claim = claim_commands.claim)
                RETURNING c.place, c.id, c.node, c.command;
        END $$
        """

    /// The attempt of a retried run.
    ///
    /// The function is replaced by one with a further argument, which servers of earlier versions leave out.
    private static let attempts = """
        ALTER TABLE weir.runs ADD COLUMN IF NOT EXISTS attempt bigint NOT NULL DEFAULT 1;
        \(JournalMigration.countAttempts(in: "weir.runs"));
        CREATE INDEX runs_by_attempt ON weir.runs (attempt, opened) WHERE attempt > 1;
        DO $$ DECLARE f regprocedure; BEGIN
            FOR f IN SELECT p.oid FROM pg_proc p WHERE p.proname = 'append' AND p.pronamespace = 'weir'::regnamespace
            LOOP EXECUTE 'DROP FUNCTION ' || f; END LOOP;
        END $$;

        """

    private static let tables = """
        CREATE TABLE weir.journal (
            "only" boolean PRIMARY KEY DEFAULT true CHECK ("only"), epoch text COLLATE "C" NOT NULL, created bigint NOT NULL,
            head bigint NOT NULL DEFAULT 0, fence bigint NOT NULL DEFAULT 0) WITH (fillfactor = 10);
        CREATE TABLE weir.names (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name bytea NOT NULL);
        CREATE UNIQUE INDEX names_by_name ON weir.names (sha256(name));
        CREATE TABLE weir.changes (
            sequence bigint PRIMARY KEY, stream bigint NOT NULL, revision bigint NOT NULL, operation bigint,
            at bigint NOT NULL, "case" bytea NOT NULL, phase smallint NOT NULL, transition boolean NOT NULL,
            done bigint, total bigint, unit smallint, payload text COLLATE "C" NOT NULL, cause bytea, origin bigint,
            step text COLLATE "C");
        CREATE INDEX changes_of_stream ON weir.changes (stream, sequence);
        CREATE INDEX changes_of_operation ON weir.changes (operation, sequence) WHERE operation IS NOT NULL;
        CREATE INDEX transitions_of_stream ON weir.changes (stream, sequence) WHERE transition;
        CREATE TABLE weir.runs (
            opened bigint PRIMARY KEY, id bytea NOT NULL UNIQUE, operation bigint NOT NULL, actor bigint NOT NULL,
            input text COLLATE "C" NOT NULL, retry_of bytea, idempotency_key bytea, phase smallint NOT NULL,
            revision bigint NOT NULL, sequence bigint NOT NULL, started bigint NOT NULL, ended bigint,
            ended_sequence bigint, ages_from bigint, epoch text COLLATE "C", indexed boolean NOT NULL DEFAULT false,
            expected text COLLATE "C", report bytea) WITH (fillfactor = 80);
        CREATE INDEX runs_by_operation ON weir.runs (operation, opened);
        CREATE INDEX runs_by_phase ON weir.runs (phase, opened);
        CREATE INDEX runs_by_actor ON weir.runs (actor, opened);
        CREATE INDEX runs_by_operation_and_phase ON weir.runs (operation, phase, opened);
        CREATE INDEX runs_by_operation_and_actor ON weir.runs (operation, actor, opened);
        CREATE INDEX runs_by_phase_and_actor ON weir.runs (phase, actor, opened);
        CREATE INDEX runs_by_key ON weir.runs USING hash (idempotency_key) WHERE idempotency_key IS NOT NULL;
        CREATE INDEX runs_by_age ON weir.runs (operation, ages_from) WHERE ages_from IS NOT NULL;
        CREATE INDEX runs_by_end ON weir.runs (operation, ended_sequence) WHERE ended IS NOT NULL;
        CREATE INDEX runs_active ON weir.runs (opened) WHERE ended IS NULL;
        CREATE INDEX runs_without_text ON weir.runs (opened) WHERE NOT indexed AND ended IS NOT NULL;
        CREATE INDEX runs_started_here ON weir.runs (operation, opened) WHERE epoch IS NULL AND ended IS NOT NULL;
        CREATE INDEX runs_imported ON weir.runs (operation, opened) WHERE epoch IS NOT NULL AND ended IS NOT NULL;
        CREATE TABLE weir.stores (
            opened bigint PRIMARY KEY, id bytea NOT NULL UNIQUE, subject bytea NOT NULL, revision bigint NOT NULL,
            removed bigint NOT NULL DEFAULT 0, floor bigint NOT NULL DEFAULT 0) WITH (fillfactor = 50);
        CREATE TABLE weir.counts (
            operation bigint NOT NULL, phase smallint NOT NULL, count bigint NOT NULL, PRIMARY KEY (operation, phase))
            WITH (fillfactor = 50);
        CREATE TABLE weir.blocks (block bigint PRIMARY KEY, earliest bigint NOT NULL, latest bigint NOT NULL);
        CREATE TABLE weir.floors (operation bigint PRIMARY KEY, sequence bigint NOT NULL);
        CREATE TABLE weir.output (
            stream bigint NOT NULL, number bigint NOT NULL, at bigint NOT NULL, channel smallint NOT NULL,
            continues boolean NOT NULL, text bytea NOT NULL, PRIMARY KEY (stream, number));
        CREATE TABLE weir.lines (stream bigint PRIMARY KEY, count bigint NOT NULL) WITH (fillfactor = 50);
        CREATE TABLE weir.run_text (
            opened bigint PRIMARY KEY, words text COLLATE "C" NOT NULL, lexemes tsvector);
        CREATE INDEX run_text_by_lexeme ON weir.run_text USING gin (lexemes);
        CREATE INDEX run_text_without_lexemes ON weir.run_text (opened) WHERE lexemes IS NULL;
        CREATE TABLE weir.importing (stream bigint PRIMARY KEY);
        CREATE TABLE weir.leaving (stream bigint PRIMARY KEY);
        CREATE TABLE weir.notes (name bytea PRIMARY KEY, text bytea NOT NULL);
        CREATE TABLE weir.notices (
            place bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id text NOT NULL UNIQUE, notice text NOT NULL);
        CREATE TABLE weir.producers (
            stream bigint NOT NULL, id bytea NOT NULL, epoch bigint NOT NULL, number bigint NOT NULL,
            closed boolean NOT NULL, PRIMARY KEY (stream, id)) WITH (fillfactor = 50);
        CREATE TABLE weir.removed_reports (
            place bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id bytea NOT NULL UNIQUE);
        CREATE TABLE weir.batches (
            node text COLLATE "C" NOT NULL, number bigint NOT NULL, first bigint NOT NULL, lines bigint[] NOT NULL,
            PRIMARY KEY (node, number));

        """
}

/// Migrates the tables of a database to the newest format; see `PostgresSchema`.
struct PostgresMigration {
    private let connection: PostgresConnection

    init(_ connection: PostgresConnection) { self.connection = connection }

    /// Runs the missing migrations, all or none, excluding other servers.
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
            // Columns of large tables take their time.
            connection.patience = .seconds(3_600)
            defer { connection.patience = .zero }
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

    /// Throws what ``check()`` throws, and if the tables lack a column that this version reads.
    func checkIsReadable() throws {
        try check()
        let number = try connection.first("SELECT number FROM weir.format") { $0.integer(0) } ?? 0
        guard number >= PostgresSchema.readable else {
            throw JournalError(
                .unavailable, "The journal is of an older format. Start the server once: it migrates the journal.")
        }
    }

    /// Throws if there are no tables, or a newer version has migrated them so that this one cannot use them.
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
