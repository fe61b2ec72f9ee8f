import GRDB

/// The full-text index of ended runs.
///
/// Runs are indexed in batches after their end, because the index adds one large segment far more cheaply than many
/// small ones. Until then, a search scans the few pending runs.
struct RunTextIndex {
    /// The number of ended runs that triggers indexing.
    static let batch: Int64 = 512
    /// The approximate number of bytes of text indexed per transaction, which blocks other writers.
    static let byteLimit = 1_024 * 1_024

    /// Makes the list of indexed words available to a connection.
    ///
    /// The `instance` form advances from word to word without reading the runs that contain them.
    static let vocabulary =
        "CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab('main', 'run_text', 'instance')"

    /// FTS5's own table of the indexed texts: `id` is the row, `c0` the words.
    static let words = "run_text_content"

    private let database: Database

    init(_ database: Database) { self.database = database }

    /// The indexed words with a prefix; nil if there are more than the limit.
    ///
    /// The index has no list for a prefix of more than three letters, so it would merge the lists of all matching
    /// words before finding the first run. With the words given, it finds the newest runs without a merge.
    func words(beginningWith start: String, atMost limit: Int = 32) throws -> [String]? {
        let next = try SQLStatement(database, "SELECT term FROM temp.vocabulary WHERE term >= ? LIMIT 1")
        var words: [String] = []
        var from = start
        while let word = try next.first(from, read: { $0.text(0) }), word.utf8.starts(with: start.utf8) {
            guard words.count < limit else { return nil }
            words.append(word)
            from = word + "\0"
        }
        return words
    }

    /// The number of ended runs that are not indexed.
    func waiting() throws -> Int64 {
        try SQLStatement(database, "SELECT count(*) FROM runs WHERE indexed = 0 AND ended IS NOT NULL")
            .first { $0.integer(0) } ?? 0
    }

    /// Indexes pending ended runs if there are enough of them: all, or up to ``byteLimit`` of text.
    func catchUp(ifAtLeast least: Int64) throws {
        guard try waiting() >= least else { return }
        let insert = try SQLStatement(database, "INSERT INTO run_text (rowid, words, marks) VALUES (?, ?, ?)")
        let done = try SQLStatement(database, "UPDATE runs SET indexed = 1 WHERE opened = ?")
        var bytes = 0
        while bytes < Self.byteLimit {
            let runs = try RunReader(database).runs(
                from: RunReader.withoutText, where: "r.indexed = 0 AND r.ended IS NOT NULL", [Int64(8)],
                rest: "ORDER BY r.ended LIMIT ?")
            if runs.isEmpty { return }
            for run in runs where bytes < Self.byteLimit {
                let marks = try SQLStatement(database, "SELECT operation, phase, actor FROM runs WHERE opened = ?")
                    .first(run.openedSequence) { "o\($0.integer(0)) p\($0.integer(1)) a\($0.integer(2))" }
                let words = try text(of: run).words
                try insert.run(run.openedSequence, words, marks)
                try done.run(run.openedSequence)
                bytes += words.utf8.count
            }
        }
    }

    func remove(_ opened: some SQLValue) throws {
        try SQLStatement(database, "DELETE FROM run_text WHERE rowid = ?").run(opened)
    }

    /// Merges some pages of the index, which keeps the words of removed runs until then; returns false when none are left.
    ///
    /// A negative number begins to merge everything (SQLite, "The FTS5 'merge' command").
    func merge(_ pages: Int64) throws -> Bool {
        let before = database.totalChangesCount
        try SQLStatement(database, "INSERT INTO run_text (run_text, rank) VALUES ('merge', ?)").run(pages)
        return database.totalChangesCount - before >= 2
    }

    func text(of run: RunRecord) throws -> RunText {
        var text = RunText(run)
        guard run.endedAt != nil else { return text }
        let output = OutputTable(database)
        try text.addOutput(count: output.count(of: run.id)) { try output.line($0, ofStream: run.openedSequence) }
        return text
    }
}
