import GRDB

/// The lines of output, within one transaction.
struct OutputTable {
    private static let columns = "number, at, channel, continues, text"

    private let database: Database

    init(_ database: Database) { self.database = database }

    /// Adds lines; returns the number of the last one.
    func append(_ lines: [OutputDraft], to run: String) throws -> SequenceNumber {
        guard let (stream, count) = try stream(of: run) else { throw JournalError.unknownRun(run) }
        let insert = try SQLStatement(
            database, "INSERT INTO output (stream, number, at, channel, continues, text) VALUES (?, ?, ?, ?, ?, ?)")
        var number = count
        for line in lines {
            guard number < .max else { throw JournalError.noPlaceLeft }
            number = number.next
            try insert.run(
                stream, number, line.at.milliseconds, JournalCode.code(of: line.channel), line.continues, line.text)
        }
        // A run that has ended and whose words are already indexed is indexed again with these lines.
        let isIndexed = try SQLStatement(database, "SELECT indexed FROM runs WHERE opened = ?")
            .first(stream) { $0.integer(0) == 1 }
        if isIndexed == true { try RunTextIndex(database).remove(stream) }
        try SQLStatement(database, "UPDATE runs SET lines = ?, indexed = 0 WHERE opened = ?").run(number, stream)
        return number
    }

    /// The lines of a run after a number.
    func lines(of run: String, after number: SequenceNumber, limit: Int) throws -> [OutputLine] {
        guard limit > 0, let (stream, _) = try stream(of: run) else { return [] }
        return try SQLStatement(
            database, "SELECT \(Self.columns) FROM output WHERE stream = ? AND number > ? ORDER BY number LIMIT ?"
        ).all(stream, number, limit, read: line)
    }

    /// One line.
    func line(_ number: SequenceNumber, ofStream stream: SequenceNumber) throws -> OutputLine? {
        try SQLStatement(database, "SELECT \(Self.columns) FROM output WHERE stream = ? AND number = ?")
            .first(stream, number, read: line)
    }

    /// The number of lines of a run.
    func count(of run: String) throws -> SequenceNumber { try stream(of: run)?.count ?? 0 }

    private func stream(of run: String) throws -> (number: SequenceNumber, count: SequenceNumber)? {
        try SQLStatement(database, "SELECT opened, lines FROM runs WHERE id = ?").first(run) { row in
            (try row.sequence(0), try row.sequence(1))
        }
    }

    private func line(_ row: SQLRow) throws -> OutputLine {
        OutputLine(
            number: try row.sequence(0),
            draft: OutputDraft(
                at: Timestamp(milliseconds: row.integer(1)), channel: try JournalCode.channel(row.integer(2)),
                text: row.text(4), continues: row.integer(3) == 1))
    }
}
