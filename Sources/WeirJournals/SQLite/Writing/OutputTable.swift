import GRDB
import WeirFlows

struct OutputTable {
    private static let columns = "number, at, channel, continues, text"

    private let database: Database

    init(_ database: Database) { self.database = database }

    /// Appends lines; returns the number of the last one.
    func append(_ lines: [OutputDraft], to run: String, after: SequenceNumber? = nil) throws -> SequenceNumber {
        guard let (stream, count) = try stream(of: run) else { throw JournalError.unknownRun(run) }
        if try JournalError.areAppended(lines, to: run, after: after, count: count) { return count }
        let insert = try SQLStatement(
            database, "INSERT INTO output (stream, number, at, channel, continues, text) VALUES (?, ?, ?, ?, ?, ?)")
        var number = count
        for line in lines {
            guard number < .max else { throw JournalError.noPlaceLeft }
            number = number.next
            try insert.run(
                stream, number, line.at.milliseconds, JournalCode.code(of: line.channel), line.continues, line.text)
        }
        // An ended run whose words are already indexed is indexed again with these lines.
        let isIndexed = try SQLStatement(database, "SELECT indexed FROM runs WHERE opened = ?")
            .first(stream) { $0.integer(0) == 1 }
        if isIndexed == true { try RunTextIndex(database).remove(stream) }
        try SQLStatement(database, "UPDATE runs SET lines = ?, indexed = 0 WHERE opened = ?").run(number, stream)
        return number
    }

    func lines(of run: String, after number: SequenceNumber, limit: Int) throws -> [OutputLine] {
        guard limit > 0, let (stream, _) = try stream(of: run) else { return [] }
        return try SQLStatement(
            database, "SELECT \(Self.columns) FROM output WHERE stream = ? AND number > ? ORDER BY number LIMIT ?"
        ).all(stream, number, limit, read: line)
    }

    func lines(of run: String, numbers: [SequenceNumber]) throws -> [OutputLine] {
        guard let (stream, _) = try stream(of: run) else { return [] }
        return try SQLStatement(
            database,
            """
            SELECT \(Self.columns) FROM output WHERE stream = ? AND number IN (SELECT value FROM json_each(?))
            ORDER BY number
            """
        ).all(stream, "[\(numbers.map(\.description).joined(separator: ","))]", read: line)
    }

    func line(_ number: SequenceNumber, ofStream stream: SequenceNumber) throws -> OutputLine? {
        try SQLStatement(database, "SELECT \(Self.columns) FROM output WHERE stream = ? AND number = ?")
            .first(stream, number, read: line)
    }

    func matches(_ search: OutputSearch, of run: String, within budget: WorkBudget) throws -> OutputMatches {
        var scan = OutputScan(search)
        guard let (stream, _) = try stream(of: run) else { return scan.result }
        var isComplete = true
        var untilCheck = OutputSearch.batch
        try SQLStatement(
            database, "SELECT number, channel, continues, text FROM output WHERE stream = ? ORDER BY number"
        ).rows(stream) { row in
            let channel = try JournalCode.channel(row.integer(1))
            let (number, continues) = (try row.sequence(0), row.integer(2) == 1)
            row.withBytes(3) { scan.take(number, channel, continues: continues, $0) }
            untilCheck -= 1
            if untilCheck > 0 { return true }
            untilCheck = OutputSearch.batch
            isComplete = !budget.isExceeded
            return isComplete
        }
        return scan.result.completed(isComplete)
    }

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
