import GRDB
import Journals
import States

/// The words by which ended runs are found.
///
/// A run is indexed after its end, and many at once: an index of full text takes one large piece far more cheaply than
/// many small ones. Until then, a search reads the few that wait.
struct RunTextIndex {
    /// How many ended runs wait before they are indexed.
    static let batch: Int64 = 512

    /// Makes the index's list of words known to a connection.
    ///
    /// Of its kinds this one goes from word to word without looking at the runs that have them.
    static let vocabulary =
        "CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab('main', 'run_text', 'instance')"

    private let database: Database

    init(_ database: Database) { self.database = database }

    /// The words that begin so; nil when there are more than a few.
    ///
    /// A beginning that the index has no lists for, of more than three letters, would be found by merging all lists of
    /// all words before the first run is seen; with the words named, the newest runs are found without.
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

    /// Indexes the ended runs that wait, if they are so many.
    func catchUp(ifAtLeast least: Int64) throws {
        let waiting =
            try SQLStatement(
                database, "SELECT count(*) FROM runs WHERE indexed = 0 AND ended IS NOT NULL"
            ).first { $0.integer(0) } ?? 0
        guard waiting >= least, waiting > 0 else { return }
        let runs = try RunReader(database).runs(
            from: RunReader.withoutText, where: "r.indexed = 0 AND r.ended IS NOT NULL")
        let insert = try SQLStatement(database, "INSERT INTO run_text (rowid, words, marks) VALUES (?, ?, ?)")
        for run in runs {
            let marks = try SQLStatement(database, "SELECT operation, phase, actor FROM runs WHERE opened = ?")
                .first(run.openedSequence) { "o\($0.integer(0)) p\($0.integer(1)) a\($0.integer(2))" }
            try insert.run(run.openedSequence, try text(of: run).words, marks)
        }
        try SQLStatement(database, "UPDATE runs SET indexed = 1 WHERE indexed = 0 AND ended IS NOT NULL").run()
    }

    /// Takes a run's words out, as it is no longer what it was.
    func remove(_ opened: Int64) throws {
        try SQLStatement(database, "DELETE FROM run_text WHERE rowid = ?").run(opened)
    }

    /// The text a run is found by.
    func text(of run: RunRecord) throws -> RunText {
        var text = RunText(run)
        guard run.endedAt != nil else { return text }
        let output = OutputTable(database)
        try text.addOutput(count: output.count(of: run.id)) { try output.line($0, ofStream: run.openedSequence) }
        return text
    }
}
