import GRDB

/// The file format of the journal, version 10.
///
/// A SQLite 3 database in WAL mode, `application_id` 0x57454952 ("WEIR"), `user_version` the format version. Times
/// are milliseconds since 1970, UTC. Repeated names (of operations and actors) are stored once, in `names`. A
/// stream's number is the sequence of its first change, so streams need no separate ids and sort by age.
///
/// - `journal`: one row. `epoch` identifies this history, and `created` is when it began; `head` is the last assigned
///   sequence, even if its change was removed; `writes` counts all writes, of changes or not (since format 8).
/// - `changes`: the changes, from which everything else derives. `stream` is the stream's number; `operation` the
///   name of a run's operation, null for a store; `payload` the canonical JSON of the case's payload; `done`,
///   `total`, `unit` the progress; `transition` 1 if the case changed, 0 for a tick; `origin` the sequence in the
///   journal that an imported change came from; `step` the canonical JSON of a store's step (`StoreStep`), null for a
///   run's change. Since format 3.
/// - `runs`: the fold of each run, written in the same transaction. The run's opening is stored here only; its last
///   state only in `changes`, at `sequence`. `ages_from` is when the run ended, or was imported if that was later;
///   null while it is active. `lines` is the number of its lines of output. `epoch` identifies the journal that an
///   imported run came from. `expected` is its estimated duration, encoded as in exports (since format 5). `indexed`
///   is 1 once its text is in `run_text`, some time after its end. `report` is set if a program elsewhere reported
///   the run: its title, or an empty text (since format 7). `attempt` is one more than that of the run in `retry_of`, or
///   1 (since format 9).
/// - `stores`: the last revision of each store; since format 3 also `removed`, the number of changes that retention
///   removed, which is the revision of the first one kept, and `floor`, the sequence of the last removed one.
/// - `counts`: the number of runs per operation and phase.
/// - `blocks`: for each 4,096 sequences, the earliest and latest start of a run opened in them; locates a range of
///   time in lists ordered by sequence.
/// - `floors`: for each operation, and for the board as operation 0, the last sequence that was removed or that a
///   deletion has. Under `-1 - operation`, the same without deletions (since format 10); for the board it is at least
///   the head at the migration to that format, and every sequence beyond it is that of a change or explained by
///   `deletions`.
/// - `deletions`: the runs that persons deleted: the deletion's sequence, the number of the run's stream and of its
///   changes, its id and operation, the time and the actor (since format 10).
/// - `output`: the lines of output of a run, numbered from 1.
/// - `run_text`: the words of ended runs (`SearchWords`, so a plain byte tokenizer is sufficient), and marks for
///   operation (`o` and its name's number), phase (`p` and its code) and actor (`a` and its name's number), so that a
///   filtered search is one intersection.
/// - `importing`: the streams of an import that is neither committed nor rolled back (since format 6).
/// - `notes`: short texts of this history, by name (since format 6).
/// - `producers`: for each producer of a reported run, its epoch, the number of its last request, and whether that
///   request closed the run (since format 7).
/// - `removed_reports`: the reserved ids of reported runs that retention removed (since format 7).
/// - `leaving`: streams that retention has removed from `runs`, whose changes and output are being deleted in steps.
///
/// Since format 6 a mark is stored beside the file (`JournalMark`). A file without a mark is a copy, or its mark was
/// removed.
///
/// Codes. Phases: 0 idle, 1 active, 2 succeeded, 3 failed, 4 cancelled, 5 interrupted. Units: 0 bytes, 1 items, 2
/// percent. Channels: 0 notice, 1 stdout, 2 stderr. Codes and column meanings are never reused.
enum JournalSchema {
    static let applicationID: Int64 = 0x5745_4952

    /// The number of sequences per row of `blocks`, as a power of two.
    static let blockBits: Int64 = 12

    /// One migration per format, each from the previous one; the first starts with an empty file.
    static let migrations: [String] = [
        """
        CREATE TABLE journal (
            only INTEGER PRIMARY KEY CHECK (only = 1), epoch TEXT NOT NULL, created INTEGER NOT NULL,
            head INTEGER NOT NULL) STRICT;
        CREATE TABLE names (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
        CREATE TABLE changes (
            sequence INTEGER PRIMARY KEY, stream INTEGER NOT NULL, revision INTEGER NOT NULL, operation INTEGER,
            at INTEGER NOT NULL, "case" TEXT NOT NULL, phase INTEGER NOT NULL, transition INTEGER NOT NULL,
            done INTEGER, total INTEGER, unit INTEGER, payload TEXT NOT NULL, cause TEXT, origin INTEGER) STRICT;
        CREATE INDEX changes_of_stream ON changes (stream);
        CREATE INDEX changes_of_operation ON changes (operation) WHERE operation IS NOT NULL;
        CREATE TABLE runs (
            opened INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, operation INTEGER NOT NULL, actor INTEGER NOT NULL,
            input TEXT NOT NULL, retry_of TEXT, idempotency_key TEXT, phase INTEGER NOT NULL,
            revision INTEGER NOT NULL, sequence INTEGER NOT NULL, started INTEGER NOT NULL, ended INTEGER,
            ages_from INTEGER, lines INTEGER NOT NULL DEFAULT 0, epoch TEXT, indexed INTEGER NOT NULL DEFAULT 0) STRICT;
        CREATE INDEX runs_by_operation ON runs (operation);
        CREATE INDEX runs_by_phase ON runs (phase);
        CREATE INDEX runs_by_actor ON runs (actor);
        CREATE INDEX runs_by_operation_and_phase ON runs (operation, phase);
        CREATE INDEX runs_by_operation_and_actor ON runs (operation, actor);
        CREATE INDEX runs_by_phase_and_actor ON runs (phase, actor);
        CREATE INDEX runs_by_operation_phase_and_actor ON runs (operation, phase, actor);
        CREATE INDEX runs_by_key ON runs (idempotency_key) WHERE idempotency_key IS NOT NULL;
        CREATE INDEX runs_by_age ON runs (ages_from) WHERE ages_from IS NOT NULL;
        CREATE INDEX runs_without_text ON runs (ended) WHERE indexed = 0;
        CREATE TABLE stores (
            opened INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, subject TEXT NOT NULL, revision INTEGER NOT NULL) STRICT;
        CREATE TABLE counts (
            operation INTEGER NOT NULL, phase INTEGER NOT NULL, count INTEGER NOT NULL,
            PRIMARY KEY (operation, phase)) STRICT, WITHOUT ROWID;
        CREATE TABLE blocks (
            block INTEGER PRIMARY KEY, earliest INTEGER NOT NULL, latest INTEGER NOT NULL) STRICT;
        CREATE TABLE floors (operation INTEGER PRIMARY KEY, sequence INTEGER NOT NULL) STRICT;
        CREATE TABLE output (
            stream INTEGER NOT NULL, number INTEGER NOT NULL, at INTEGER NOT NULL, channel INTEGER NOT NULL,
            continues INTEGER NOT NULL, text TEXT NOT NULL, PRIMARY KEY (stream, number)) STRICT, WITHOUT ROWID;
        CREATE VIRTUAL TABLE run_text USING fts5(words, marks, tokenize = 'ascii', prefix = '2 3');
        CREATE TABLE leaving (stream INTEGER PRIMARY KEY) STRICT;
        """,
        // A maximum age of runs per operation.
        """
        DROP INDEX runs_by_age;
        CREATE INDEX runs_by_operation_and_age ON runs (operation, ages_from) WHERE ages_from IS NOT NULL;
        """,
        // The actions of stores, and the counters of their retention.
        """
        ALTER TABLE changes ADD COLUMN step TEXT;
        ALTER TABLE stores ADD COLUMN removed INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE stores ADD COLUMN floor INTEGER NOT NULL DEFAULT 0;
        """,
        // The past of a run at constant cost, and the active runs at a moment.
        """
        CREATE INDEX transitions_of_stream ON changes (stream) WHERE transition = 1;
        CREATE INDEX runs_by_end ON runs (operation, sequence) WHERE ended IS NOT NULL;
        """,
        // The estimated duration of a run.
        "ALTER TABLE runs ADD COLUMN expected TEXT",
        // Separate counts of imported runs, rollback of interrupted imports, and notes.
        """
        CREATE INDEX runs_started_here ON runs (operation) WHERE epoch IS NULL AND ended IS NOT NULL;
        CREATE INDEX runs_imported ON runs (operation) WHERE epoch IS NOT NULL AND ended IS NOT NULL;
        CREATE TABLE importing (stream INTEGER PRIMARY KEY) STRICT;
        CREATE TABLE notes (name TEXT PRIMARY KEY, text TEXT NOT NULL) STRICT, WITHOUT ROWID;
        """,
        // Reported runs, with deduplication of requests.
        """
        ALTER TABLE runs ADD COLUMN report TEXT;
        CREATE TABLE producers (
            stream INTEGER NOT NULL, id TEXT NOT NULL, epoch INTEGER NOT NULL, number INTEGER NOT NULL,
            closed INTEGER NOT NULL, PRIMARY KEY (stream, id)) STRICT, WITHOUT ROWID;
        CREATE TABLE removed_reports (place INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE) STRICT;
        """,
        // A count of all writes, so that a loss of anything but changes is detected too.
        "ALTER TABLE journal ADD COLUMN writes INTEGER NOT NULL DEFAULT 0",
        // The attempt of a retried run.
        """
        ALTER TABLE runs ADD COLUMN attempt INTEGER NOT NULL DEFAULT 1;
        \(JournalMigration.countAttempts(in: "runs"));
        CREATE INDEX runs_by_attempt ON runs (attempt) WHERE attempt > 1;
        """,
        // Deletions of runs.
        """
        CREATE TABLE deletions (
            sequence INTEGER PRIMARY KEY, opened INTEGER NOT NULL, changes INTEGER NOT NULL, run TEXT NOT NULL,
            operation INTEGER NOT NULL, at INTEGER NOT NULL, actor INTEGER NOT NULL) STRICT;
        CREATE INDEX deletions_of_run ON deletions (run);
        INSERT INTO floors (operation, sequence) SELECT -1 - operation, sequence FROM floors;
        INSERT INTO floors (operation, sequence) SELECT -1, head FROM journal WHERE head > 0
            ON CONFLICT (operation) DO UPDATE SET sequence = max(sequence, excluded.sequence);
        """,
    ]

    /// The first format whose files have a mark beside them.
    static let firstMarked = 6

    /// The first format with a count of writes.
    static let firstCounted = 8

    /// The first format with deletions.
    static let firstWithDeletions = 10

    static var version: Int { migrations.count }
}

/// The statements that migrations of all databases share.
package enum JournalMigration {
    /// Sets the attempt of each run that retries another, from the retried runs that are kept, up to a hundred.
    package static func countAttempts(in runs: String) -> String {
        """
        UPDATE \(runs) SET attempt = (
            WITH RECURSIVE retried (id, place) AS (
                SELECT \(runs).retry_of, 1
                UNION ALL
                SELECT r.retry_of, t.place + 1 FROM retried t JOIN \(runs) r ON r.id = t.id
                WHERE r.retry_of IS NOT NULL AND t.place < 100)
            SELECT max(place) + 1 FROM retried)
        WHERE retry_of IS NOT NULL
        """
    }
}
