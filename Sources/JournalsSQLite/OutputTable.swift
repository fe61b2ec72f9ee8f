import GRDB
import Journals

/// The lines of output, within one transaction.
struct OutputTable {
    private static let columns = "number, at, channel, continues, text"

    private let database: Database

    init(_ database: Database) { self.database = database }

    /// Adds lines; tells the number of the last one.
    func append(_ lines: [OutputDraft], to run: String) throws -> Int64 {
        guard let (stream, count) = try stream(of: run) else { throw JournalError.unknownRun(run) }
        let insert = try SQLStatement(
            database, "INSERT INTO output (stream, number, at, channel, continues, text) VALUES (?, ?, ?, ?, ?, ?)")
        var number = count
        for line in lines {
            number += 1
            try insert.run(
                stream, number, line.at.milliseconds, JournalCode.code(of: line.channel), line.continues, line.text)
        }
        try SQLStatement(database, "UPDATE runs SET lines = ? WHERE opened = ?").run(number, stream)
        return number
    }

    /// The lines of a run after a number.
    func lines(of run: String, after number: Int64, limit: Int) throws -> [OutputLine] {
        guard limit > 0, let (stream, _) = try stream(of: run) else { return [] }
        return try SQLStatement(
            database, "SELECT \(Self.columns) FROM output WHERE stream = ? AND number > ? ORDER BY number LIMIT ?"
        ).all(stream, number, limit, read: line)
    }

    /// One line.
    func line(_ number: Int64, ofStream stream: Int64) throws -> OutputLine? {
        try SQLStatement(database, "SELECT \(Self.columns) FROM output WHERE stream = ? AND number = ?")
            .first(stream, number, read: line)
    }

    /// How many lines a run has.
    func count(of run: String) throws -> Int64 { try stream(of: run)?.count ?? 0 }

    private func stream(of run: String) throws -> (number: Int64, count: Int64)? {
        try SQLStatement(database, "SELECT opened, lines FROM runs WHERE id = ?").first(run) { row in
            (row.integer(0), row.integer(1))
        }
    }

    private func line(_ row: SQLRow) throws -> OutputLine {
        OutputLine(
            number: row.integer(0),
            draft: OutputDraft(
                at: Timestamp(milliseconds: row.integer(1)), channel: try JournalCode.channel(row.integer(2)),
                text: row.text(4), continues: row.integer(3) == 1))
    }
}
