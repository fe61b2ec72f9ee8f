/// The journal's tables, in the schema `weir` of a database whose encoding is UTF8.
///
/// They hold what the file of `JournalsSQLite` holds, under the same names: see `JournalSchema` there for what each
/// column means. Texts in which NUL can occur are `bytea` with their UTF-8 bytes; JSON and words are `text COLLATE "C"`,
/// so that nothing depends on the languages that the system knows. What differs:
///
/// - `format`: one row. `number` is that of the newest migration; `minimum` is the lowest number that a server must
///   know to use the database. Migrations only add, so the minimum is raised only by a later release.
/// - `journal.fence` counts the servers that have recorded here; every call names the fence of its server, and is refused
///   once another one has come.
/// - `batches`: the newest calls of each server, by its name and its own count: a call that is repeated, because the
///   connection broke before the answer came, gets the numbers that it got.
/// - `runs.ended_sequence` is `sequence` once the run has ended, so that a change of an active run touches no index.
/// - `lines`: the number of lines of each run that has printed any, apart from `runs`.
/// - `run_text`: the words of ended runs, and the set of them, cut to 200 bytes each, as a `tsvector`: an index of which
///   runs can match. It is null if it would be too large.
/// - `removed_reports`, `notices`: by the order in which they came.
///
/// - `nodes`: the servers that use the database, each as it last described itself, and which of them records.
/// - `commands`: what servers that follow ask of the one that records. A command is claimed under the fence, with the number
///   of the call that claimed it; then its answer is added. One that its server withdrew keeps its row for a while, so that
///   it is not added once more by a call that was late. The server that asked removes it; those of servers that are gone
///   go with the next claim.
/// - `assignments`: which process of a server that follows carries out which run, and may append to it; `place` grows with
///   each change of a row.
/// - `access`, `access_records`: not of the journal; see `PostgresRecordTables`.
///
/// Only the functions of `PostgresFunctions` write, but in `nodes`, `commands` and the two for records, each in one transaction that first takes the lock ``lock``. So the
/// order of commits is the order of sequences, for every reader.
enum PostgresSchema {
    /// The advisory lock under which everything is written: `WEIR` and 1.
    static let lock: Int64 = 0x5745_4952_0000_0001
    /// The advisory lock that a server holds for as long as it is connected: `WEIR` and 2.
    static let server: Int64 = 0x5745_4952_0000_0002

    /// How many sequences a row of `blocks` covers, as a power of two.
    static let blockBits: Int64 = 12

    /// Creates each format from the previous one; the first from an empty schema.
    static let migrations: [String] = [
        tables + PostgresFunctions.append + PostgresFunctions.others, nodes, commands,
        PostgresFunctions.assignments + PostgresFunctions.append, PostgresRecordTables.script,
    ]

    /// The lowest number of a format that a server must know to use what this version writes.
    static let minimum: Int64 = 1

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
