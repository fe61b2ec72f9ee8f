import GRDB

/// The journal's file, format 5.
///
/// A SQLite 3 database in WAL mode, `application_id` 0x57454952 ("WEIR"), `user_version` the number of the format.
/// Moments are milliseconds since 1970, UTC. Names that repeat (of operations and actors) are kept once, in `names`.
/// A stream's number is the sequence of its first change, so that streams need no ids of their own and sort by age.
///
/// - `journal`: one row. `epoch` names this history; `head` is the last sequence ever given, also if that change is gone.
/// - `changes`: the truth. `stream` is the stream's number; `operation` the name of a run's operation, null for a store;
///   `payload` the canonical JSON of what the case carries; `done`, `total`, `unit` the progress; `transition` 1 where
///   the case changed, 0 for a tick; `origin` the sequence an imported change had where it was recorded first; `step` the
///   canonical JSON of what a store's change came by (`StoreStep`), null for a run's. Since format 3.
/// - `runs`: each run as its changes tell it, written in the same transaction as they are. What the run was started with
///   stands here and not in `changes`; the last state stands there and not here, at `sequence`. `ages_from` is when the
///   run ended, or was imported if that was later; null while it goes on. `lines` counts its output. `epoch` names the
///   journal an imported run came from. `expected` is how long it may take, as exports write it (since format 5).
///   `indexed` is 1 once its text is in `run_text`, which happens after its end.
/// - `stores`: of each store its last revision; since format 3 also `removed`, how many of its changes retention removed,
///   which is the revision of the first that is kept, and `floor`, the sequence of the last that was removed.
/// - `counts`: how many runs of an operation are in a phase.
/// - `blocks`: of each 4,096 sequences the earliest and latest start of a run opened there: lists of runs go by sequence,
///   and this is how a range of time is found in them.
/// - `floors`: of each operation, and of the board as operation 0, the last sequence that retention removed.
/// - `output`: the lines a run has written, numbered from 1.
/// - `run_text`: the words of ended runs (`SearchWords`, so a tokenizer of plain bytes is right), and beside them marks
///   for operation (`o` and its name's number), phase (`p` and its code) and actor (`a` and its name's number), so that
///   a search with filters is one intersection.
/// - `leaving`: streams that retention has taken out of `runs`, whose changes and output are being removed bit by bit.
///
/// Codes. Phases: 0 idle, 1 active, 2 succeeded, 3 failed, 4 cancelled, 5 interrupted. Units: 0 bytes, 1 items,
/// 2 percent. Channels: 0 notice, 1 stdout, 2 stderr. Codes and column meanings are never reused.
enum JournalSchema {
    static let applicationID: Int64 = 0x5745_4952

    /// How many sequences a row of `blocks` stands for, as a power of two.
    static let blockBits: Int64 = 12

    /// What makes each format of the one before it; the first makes it of an empty file.
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
        // Each operation has an age of its own at which its runs leave.
        """
        DROP INDEX runs_by_age;
        CREATE INDEX runs_by_operation_and_age ON runs (operation, ages_from) WHERE ages_from IS NOT NULL;
        """,
        // What stores do is recorded, and their retention keeps count.
        """
        ALTER TABLE changes ADD COLUMN step TEXT;
        ALTER TABLE stores ADD COLUMN removed INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE stores ADD COLUMN floor INTEGER NOT NULL DEFAULT 0;
        """,
        // The past of a run, however long it is, and what went on at a moment.
        """
        CREATE INDEX transitions_of_stream ON changes (stream) WHERE transition = 1;
        CREATE INDEX runs_by_end ON runs (operation, sequence) WHERE ended IS NOT NULL;
        """,
        // How long a run may take is told with what it was started with.
        "ALTER TABLE runs ADD COLUMN expected TEXT",
    ]

    static var version: Int { migrations.count }
}
